import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, expect, test } from "vitest"
import { createClient } from "../../../../shared/client/http-client.ts"
import { startBoxProcess } from "../../../testing/box-process.ts"
import { startModelServer, type Round } from "../../../testing/model-servers/model-server.ts"
import { call, calls } from "../testing/sink-talk.ts"
import { collect, helper, of, startToolTalk, testTool } from "../testing/tool-talk.ts"
import { waitFor } from "../../../../shared/testing/wait-for.ts"

let stack = new AsyncDisposableStack()
afterEach(async () => {
  await stack.disposeAsync()
  stack = new AsyncDisposableStack()
})

// Catches an answer whose results survive a crash while their sources are forgotten.
test("doesn't let the next answer send out what an answer had read when the box was killed", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "casella-labels-"))
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  let rounds: Round[] = [
    {
      text: "Let me read.",
      ...calls(
        ["codeInterpreter", { code: "print(open('in/Private/secret.txt').read())" }],
        ["codeInterpreter", { code: "while True: pass" }],
      ),
    },
  ]
  const model = stack.use(await startModelServer(() => rounds.shift() ?? { text: "Done." }))
  const start = async (key?: string) => {
    const box = await startBoxProcess(dataDir, "--model", model.baseUrl)
    stack.defer(() => void box.child.kill("SIGKILL"))
    const headers = { "x-api-key": key ?? box.firstRunKey ?? "" }
    return { box, client: createClient({ baseUrl: box.url, headers }) }
  }

  const { box, client } = await start()
  const folderId = (await client.folders.create({ body: { name: "Private" } })).vector.id
  const params = { id: folderId }
  await client.files.upload({ params, file: new Blob(["canary"]), fileName: "secret.txt" })
  await waitFor(async () => {
    expect((await client.files.list({ params })).files[0]?.status).toBe("completed")
  })
  const { assistant } = await client.assistants.create({
    body: { name: "Helper", builtInTools: { codeInterpreter: true, fetch: true } },
  })
  const question = { role: "user" as const, content: "Read." }
  const chat = { id: "c1", boxAddress: box.url, assistantId: assistant.id }
  const killing = async () => {
    for await (const event of client.chat.send({
      body: { ...chat, vector: [folderId], messages: [question] },
    }))
      if (event.type === "tool-result") await box.stop("SIGKILL")
  }
  await expect(killing()).rejects.toThrow()

  const { client: later } = await start(box.firstRunKey)
  rounds = [call("fetch", { url: "http://127.0.0.1:9/?q=canary" })]
  const { messages } = (await later.conversations.read({ params: { id: "c1" } })).chat
  const before = messages.map(({ role, content }) => ({ role, content }))
  const again = [...before, { role: "user" as const, content: "Go on." }]
  const events = await collect(later.chat.send({ body: { ...chat, messages: again } }))
  expect(of(events, "tool-approval-request")).toMatchObject([{ toolName: "fetch", reasonCode: "address" }])
})

/**
 * Starts a talk whose model sends the rounds and then nothing, and whose tool `calculate` runs until it is stopped. Also returns the stored
 * labels of the newest answer.
 */
async function startInterruptedTalk(...rounds: Round[]) {
  const started = Promise.withResolvers<void>()
  const endless = testTool("calculate", () => {
    started.resolve()
    return new Promise(() => {})
  })
  const talk = stack.use(
    await startToolTalk(() => rounds.shift() ?? new Promise(() => {}), {
      tools: [endless],
      assistants: [{ ...helper, owned: false, builtInTools: { calculate: true } }],
    }),
  )
  const labels = async (chatId = "c1") => {
    const { db } = talk.server.database
    const rows = await db.selectFrom("messages").selectAll().where("conversationId", "=", chatId).execute()
    return JSON.parse(rows.find(({ role }) => role === "assistant")?.readLabels ?? "null") as unknown
  }
  return { talk, started: started.promise, labels }
}

// Catches labels that mark an answer as clean while it can still be cut off, or although one of its calls was cut off.
test("stores unknown labels while an answer is written and if a call was cut off", async () => {
  const { talk, started, labels } = await startInterruptedTalk(call("calculate", { text: "1" }))
  const asking = talk.ask("Go.")
  await started
  expect(await labels()).toBeNull()
  await talk.server.getClient("alice").chat.stop({ params: { chatId: "c1" } })
  expect((await asking).at(-1)).toMatchObject({ finishReason: "aborted" })
  expect(await labels()).toBeNull()
})

// Catches a chat that keeps asking for approval because an answer was stopped, although everything it read is known.
test("stores known labels if an answer ended or only its text was cut off", async () => {
  const { talk, labels } = await startInterruptedTalk({ text: "Done." })
  await talk.ask("Go.")
  expect(await labels()).toEqual([{ trusted: false, private: false }])
  const asking = talk.ask("Go.", { id: "c2" })
  await waitFor(() => expect(talk.model.requests).toHaveLength(2))
  await talk.server.getClient("alice").chat.stop({ params: { chatId: "c2" } })
  expect((await asking).at(-1)).toMatchObject({ finishReason: "aborted" })
  expect(await labels("c2")).toEqual([{ trusted: false, private: false }])
})
