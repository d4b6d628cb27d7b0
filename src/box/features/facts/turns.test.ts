import { expect, test } from "vitest"
import { createFacts } from "./service.ts"

// Catches a user with many requests at once who makes everyone else wait for all of them.
test("doesn't make one user wait for all requests of another", async () => {
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
