import { openTestDatabase } from "../core/database/testing/test-database.ts"
import { afterAll, beforeAll, expect, it } from "vitest"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { OpenDatabase } from "../core/database/database.ts"
import { createPeople } from "../features/accounts/people.ts"
import { createMemories } from "../features/memory/service.ts"
import { createMemory } from "./memory.ts"
import { testContext } from "./testing/tool-context.ts"
import type { Tool } from "./tool.ts"

let directory: string
let database: OpenDatabase
let memory: Tool
const people: string[] = []
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-memory-"))
  database = await openTestDatabase(join(directory, "box.sqlite"))
  const accounts = createPeople(database.db)
  await accounts.ensureOwner()
  for (const name of ["ann", "bob"]) people.push((await accounts.add(`${name}@example.com`, name)).id)
  memory = createMemory(createMemories(database.db))
})
afterAll(async () => {
  await database[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

const call = async (args: unknown, person = 0) =>
  (await memory.run(args, testContext({ userId: people[person] ?? "" }))).content

// Would catch: facts that reach another person's assistant, or that the wrong words remove.
it("remembers, recalls and forgets what is the caller's", async () => {
  await call({ action: "remember", text: "Has a dog called Rex" })
  await call({ action: "remember", text: "Has a cat called Tom" })
  expect(await call({ action: "recall", text: "DOG" })).toEqual(["Has a dog called Rex"])
  expect(await call({ action: "recall" }, 1)).toEqual([])
  await expect(call({ action: "forget", text: "dog" }, 1)).rejects.toMatchObject({ code: "not_found" })
  await expect(call({ action: "forget", text: "called" })).rejects.toThrow(/Rex.*Tom|Tom.*Rex/)
  expect(await call({ action: "forget", text: "called Rex" })).toBe("Forgotten: Has a dog called Rex")
  expect(await call({ action: "recall" })).toEqual(["Has a cat called Tom"])
})

// Would catch: words of a folder that stays here, which every assistant is told then, also one that answers elsewhere.
it("remembers nothing of a conversation that stays here", async () => {
  const context = testContext({ userId: people[0] ?? "", staysHere: () => Promise.resolve(true) })
  const remembered = memory.run({ action: "remember", text: "The walrus sleeps at noon" }, context)
  await expect(remembered).rejects.toMatchObject({ code: "forbidden" })
  expect(await call({ action: "recall", text: "walrus" })).toEqual([])
})

it("says what is missing", async () => {
  await expect(call({ action: "remember" })).rejects.toMatchObject({ code: "validation" })
  await expect(call({ action: "dance" })).rejects.toThrow(/remember|recall|forget/)
})
