import { openTestDatabase } from "../core/database/testing/test-database.ts"
import { afterAll, beforeAll, expect, it } from "vitest"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { OpenDatabase } from "../core/database/database.ts"
import { createPeople } from "../features/accounts/people.ts"
import { createMemories, type Memories } from "../features/memory/service.ts"
import { createMemory } from "./memory.ts"
import { testContext } from "./testing/tool-context.ts"
import type { Tool } from "./tool.ts"

let directory: string
let database: OpenDatabase
let memory: Tool
let facts: Memories
const people: string[] = []
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-memory-"))
  database = await openTestDatabase(join(directory, "box.sqlite"))
  const accounts = createPeople(database.db)
  await accounts.ensureOwner()
  for (const name of ["ann", "bob", "eve"]) people.push((await accounts.add(`${name}@example.com`, name)).id)
  facts = createMemories(database.db)
  memory = createMemory(() => Promise.resolve(facts))
})
afterAll(async () => {
  await database[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

const call = async (args: unknown, person = 0) =>
  (await memory.run(args, testContext({ userId: people[person] ?? "" }))).content

// Catches facts that reach another user's assistant, or that unrelated words remove.
it("remembers, recalls and forgets the caller's own facts", async () => {
  await call({ action: "remember", text: "Has a dog called Rex" })
  await call({ action: "remember", text: "Has a cat called Tom" })
  expect(await call({ action: "recall", text: "DOG" })).toEqual(["Has a dog called Rex"])
  expect(await call({ action: "recall" }, 1)).toEqual([])
  await expect(call({ action: "forget", text: "dog" }, 1)).rejects.toMatchObject({ code: "not_found" })
  await expect(call({ action: "forget", text: "called" })).rejects.toThrow(/Rex.*Tom|Tom.*Rex/)
  expect(await call({ action: "forget", text: "called Rex" })).toBe("Forgotten: Has a dog called Rex")
  expect(await call({ action: "recall" })).toEqual(["Has a cat called Tom"])
})

/** Returns the arguments as the approval card shows them. */
const propose = async (args: unknown) => {
  const { userId, ...context } = testContext({ userId: people[2] ?? "" })
  return (await memory.proposal?.(args, { ...context, userId, isAsked: true }))?.args
}

// Catches a fact that is forgotten although the user saw only a few letters of it, or although it has changed since.
it("proposes to forget the whole fact, and forgets exactly that one or nothing", async () => {
  const { id } = await facts.remember(people[2] ?? "", "Daughter is allergic to penicillin")
  const asked = await propose({ action: "forget", text: "er is a", id: "another" })
  expect(asked).toEqual({ action: "forget", id, text: "Daughter is allergic to penicillin" })
  await expect(propose({ action: "forget", text: "nut" })).rejects.toMatchObject({ code: "not_found" })

  await facts.update(people[2] ?? "", id, "Daughter is allergic to nuts")
  await facts.remember(people[2] ?? "", "Daughter is allergic to penicillin and to cats since March")
  await expect(call(asked, 2)).rejects.toMatchObject({ code: "conflict" })
  expect(await call({ action: "recall", text: "nuts" }, 2)).toEqual(["Daughter is allergic to nuts"])
  await call(await propose({ action: "forget", text: "nuts" }), 2)
  expect(await call({ action: "recall", text: "nuts" }, 2)).toEqual([])
})

// Catches a fact that is replaced without the user having seen that.
it("proposes which fact a new one replaces, and replaces exactly that one or nothing", async () => {
  const owner = people[2] ?? ""
  const { id } = await facts.remember(owner, "Ann is vegetarian")
  const asked = await propose({ action: "remember", text: "Ann is not vegetarian" })
  expect(asked).toEqual({
    action: "remember",
    text: "Ann is not vegetarian",
    id,
    replaces: "Ann is vegetarian",
  })
  await facts.update(owner, id, "Ann is vegetarian today")
  await expect(call(asked, 2)).rejects.toMatchObject({ code: "conflict" })
  await facts.update(owner, id, "Ann is vegetarian")
  await call(asked, 2)
  expect(await call({ action: "recall", text: "vegetarian" }, 2)).toEqual(["Ann is not vegetarian"])
  expect(await propose({ action: "remember", text: "Plays chess" })).toEqual({
    action: "remember",
    text: "Plays chess",
  })
})

// Catches approval-card arguments that a model is asked to provide.
it("describes only the action and the text to models", () => {
  expect(Object.keys(memory.parameters["properties"] as object)).toEqual(["action", "text"])
})

// Catches words from a folder that stays on this computer becoming a memory, which every assistant gets, including those with a remote
// model.
it("remembers nothing in a chat that stays on this computer", async () => {
  const context = testContext({ userId: people[0] ?? "", staysHere: () => Promise.resolve(true) })
  const remembered = memory.run({ action: "remember", text: "The walrus sleeps at noon" }, context)
  await expect(remembered).rejects.toMatchObject({ code: "forbidden" })
  expect(await call({ action: "recall", text: "walrus" })).toEqual([])
})

it("reports what is missing", async () => {
  await expect(call({ action: "remember" })).rejects.toMatchObject({ code: "validation" })
  await expect(call({ action: "dance" })).rejects.toThrow(/remember|recall|forget/)
})
