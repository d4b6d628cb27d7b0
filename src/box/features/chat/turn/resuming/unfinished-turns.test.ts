import { afterEach, expect, test } from "vitest"
import { startToolTalk, testTool, type ToolTalk } from "../../testing/tool-talk.ts"
import { waitFor } from "../../../../../shared/testing/wait-for.ts"

let talk: ToolTalk
afterEach(() => talk[Symbol.asyncDispose]())

const begunTurns = () => talk.server.database.db.selectFrom("begunTurns").selectAll().execute()
const pieces = () => talk.server.database.db.selectFrom("answerPieces").selectAll().execute()

/** Starts a talk whose model makes one call and then writes until it is stopped. Also returns what is stored when the call runs. */
async function startInterruptedTalk(isShared: boolean) {
  const seen: string[][] = []
  const tool = testTool("calculate", async () => {
    seen.push((await pieces()).map(({ parts }) => parts))
    return { content: "4" }
  })
  talk = await startToolTalk(
    (_, round) =>
      round === 1
        ? { calls: [{ name: "calculate", args: { text: "2+2" } }] }
        : { text: "It is four", unended: true },
    { tools: [tool], isShared },
  )
  const asking = talk.ask("How much?")
  await waitFor(async () => expect(JSON.stringify(await pieces())).toContain("four"))
  return { seen, asking }
}

const stop = () => talk.server.getClient("alice").chat.stop({ params: { chatId: "c1" } })

// Catches a call that runs before it is stored, so that a box that resumes makes it again, and spent limits that are forgotten.
test("stores a call before it runs, and its costs with its result", async () => {
  const { seen, asking } = await startInterruptedTalk(true)
  expect(seen).toEqual([[expect.stringContaining("tool-call")]])
  const [row] = await begunTurns()
  expect(JSON.parse(row?.turn ?? "")).toMatchObject({
    assistantId: "helper",
    keyId: "alice",
    approvals: "wait",
  })
  expect(JSON.parse(row?.progress ?? "")).toMatchObject({
    spent: { calls: 1 },
    labels: [{ trusted: true, private: false }],
  })
  expect(row?.attempts).toBe(0)
  await stop()
  await asking
  expect(await begunTurns()).toEqual([])
})

// Catches a box without a standby that stores all this anyway.
test("stores nothing if no other box can resume", async () => {
  const { seen, asking } = await startInterruptedTalk(false)
  expect(seen).toEqual([[]])
  expect(await begunTurns()).toEqual([])
  await stop()
  await asking
})
