import { expect, test } from "vitest"
import { createFacts } from "./service.ts"

// Would catch: somebody who asks for much at once, while everybody else waits until all of it is done.
test("nobody waits for all that somebody else asks", async () => {
  const held = Promise.withResolvers<[]>()
  const facts = createFacts({
    files: (userId) => (userId === "alice" ? held.promise : Promise.resolve([])),
    file: () => Promise.reject(new Error("no files")),
    blocks: () => Promise.reject(new Error("no files")),
  })
  const list = (userId: string) =>
    facts.list({ userId, folderId: "f", signal: new AbortController().signal }, { kind: "dates", limit: 1 })
  const alices = Promise.all(Array.from({ length: 5 }, () => list("alice")))
  expect((await list("bob")).facts).toEqual([])
  held.resolve([])
  expect(await alices).toHaveLength(5)
})
