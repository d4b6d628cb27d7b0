import { expect, test } from "vitest"
import { onBehalfOf } from "../../core/async-context.ts"
import { spawnNodeChild } from "../../core/children/child.ts"
import { waitFor } from "../../../shared/testing/wait-for.ts"
import { createParserProcesses } from "./parser-processes.ts"

const limits = { memoryBytes: 2 ** 30, heapMegabytes: 512, documentsPerProcess: 1, idleMs: 1_000 }
const never = new AbortController().signal

// Catches someone whose many pages or images keep those of everyone else waiting, or have them refused.
test("people take turns at one process, however much one of them asks", async () => {
  await using processes = createParserProcesses(spawnNodeChild, limits, 1)
  const order: string[] = []
  const held: Disposable[] = []
  const enter = (userId: string) =>
    onBehalfOf({ userId }, async () => {
      held.push(await processes.acquire(never))
      order.push(userId)
    })
  for (let n = 0; n < 501; n++) void enter("bob")
  await expect(enter("bob")).rejects.toMatchObject({ code: "unavailable" })
  for (let n = 0; n < 2; n++) void enter("ann")
  for (let count = 1; count <= 5; count++) {
    await waitFor(() => expect(order).toHaveLength(count))
    held.shift()?.[Symbol.dispose]()
  }
  expect(order.slice(0, 5)).toEqual(["bob", "bob", "ann", "bob", "ann"])
})
