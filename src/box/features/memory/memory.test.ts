import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { Client } from "../../../shared/client/http-client.ts"
import { ownTables } from "../../core/database/database.ts"
import { newId, timestamp } from "../../core/ids.ts"
import { createKeys } from "../accounts/keys.ts"
import { createPeople } from "../accounts/people.ts"
import { addUser, startTestBox, type TestBox, getRows } from "../../testing/test-box.ts"
import { relevance, hasSameMeaning, createMemories } from "./service.ts"
import { createMemoryStore } from "./store.ts"

let box: TestBox
beforeAll(async () => {
  box = await startTestBox()
})
afterAll(() => box[Symbol.asyncDispose]())
beforeEach(() => box.client.memory.forgetAll())

const remember = async (text: string, client: Client = box.client) =>
  (await client.memory.remember({ body: { text } })).memory
/** Stores facts directly, because `remember` compares each with all others. */
async function store(...facts: string[]): Promise<void> {
  await using database = await getRows(box.dataDir)
  const user = (await box.client.account.me()).user.id
  await database.db.transaction().execute(async (trx) => {
    const now = timestamp()
    const memories = createMemoryStore(ownTables<"memory">(trx))
    for (const text of facts)
      await memories.insert(user, { id: newId(), text, createdAt: now, updatedAt: now })
  })
}
const facts = (count: number) => Array.from({ length: count }, (_, n) => `fact${n} about${n}`)
const texts = async (client: Client = box.client) =>
  (await client.memory.list({ query: {} })).memories.map(({ text }) => text)

describe("Facts", () => {
  it("are stored, found, changed and forgotten, and survive a restart", async () => {
    const cat = await remember("Has a cat called Mùcca")
    await remember("Prefers answers in Italian")
    await box.restart()
    expect(await texts()).toEqual(["Prefers answers in Italian", "Has a cat called Mùcca"])
    const found = await box.client.memory.list({ query: { search: "MÙCCA" } })
    expect(found.memories).toMatchObject([{ id: cat.id }])
    expect(found.pagination).toEqual({ total: 1, limit: 50, offset: 0, hasMore: false })
    await box.client.memory.update({ params: { id: cat.id }, body: { text: "Has two cats" } })
    expect(await texts()).toEqual(["Has two cats", "Prefers answers in Italian"])
    await box.client.memory.forget({ params: { id: cat.id } })
    expect(await texts()).toEqual(["Prefers answers in Italian"])
    expect(await box.client.memory.forgetAll()).toEqual({ removed: 1 })
    expect(await texts()).toEqual([])
  })

  // Catches the same fact stored once for each chat that mentions it.
  it("replace a fact that says the same", async () => {
    const first = await remember("Ann is vegetarian.")
    const second = await remember("ann  is NOT vegetarian")
    expect(second).toMatchObject({ id: first.id, createdAt: first.createdAt })
    expect(await texts()).toEqual(["ann  is NOT vegetarian"])
    const other = await remember("Lives in Rome")
    const same = box.client.memory.update({ params: { id: other.id }, body: { text: "Ann is vegetarian" } })
    await expect(same).rejects.toMatchObject({ code: "conflict" })
  })

  // Catches any way for one user to read, change or remove what is known about another.
  it("belong only to their owner", async () => {
    const hers = await addUser(box, "ann@example.com")
    const mine = await remember("My secret")
    await remember("Her secret", hers)
    expect(await texts(hers)).toEqual(["Her secret"])
    const params = { id: mine.id }
    for (const attempt of [
      () => hers.memory.update({ params, body: { text: "taken" } }),
      () => hers.memory.forget({ params }),
      () => hers.memory.forget({ params: { id: "unknown" } }),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: "not_found" })
    expect(await hers.memory.forgetAll()).toEqual({ removed: 1 })
    expect(await texts()).toEqual(["My secret"])
  })

  it("need a key whose scopes include assistants", async () => {
    await using database = await getRows(box.dataDir)
    const owner = await createPeople(database.db).localOwner()
    const keys = createKeys(database.db, () => undefined)
    const notify = await keys.create(owner.id, { name: "n", scopes: ["notify"] })
    await expect(texts(box.getClient(notify.key))).rejects.toMatchObject({ code: "forbidden" })
  })

  it("have limits that are reported", async () => {
    await expect(remember("x".repeat(501))).rejects.toMatchObject({ code: "validation" })
    await expect(remember("   ")).rejects.toMatchObject({ code: "validation" })
    await store(...facts(500))
    await expect(remember("one more")).rejects.toMatchObject({ code: "conflict" })
    expect((await remember("fact7 about7")).text).toBe("fact7 about7")
  })

  // Catches two chats that learn the same fact at once and store it twice, or exceed the limit together.
  it("are stored once and within the limit, however many arrive at once", async () => {
    const same = Array.from({ length: 8 }, (_, n) =>
      remember(n % 2 === 0 ? "Lives in Rome" : "lives in rome!"),
    )
    expect(new Set((await Promise.all(same)).map(({ id }) => id)).size).toBe(1)
    expect(await texts()).toHaveLength(1)
    await store(...facts(494))
    const more = await Promise.allSettled(Array.from({ length: 12 }, (_, n) => remember(`late${n} news${n}`)))
    expect(more.filter(({ status }) => status === "fulfilled")).toHaveLength(5)
    const { pagination } = await box.client.memory.list({ query: { limit: 1 } })
    expect(pagination.total).toBe(500)
    const mine = await addUser(box, "full@example.com")
    expect((await remember("Has room of her own", mine)).text).toBe("Has room of her own")
  })

  // Catches wildcard characters of the database that would match every fact.
  it("are found by the special characters that they contain, a page at a time", async () => {
    for (const text of ["Gets 50% off", "Uses snake_case", "Writes C:\\notes", "Gets 500 off"])
      await remember(text)
    const found = async (search: string) =>
      (await box.client.memory.list({ query: { search } })).memories.map(({ text }) => text)
    expect(await found("50%")).toEqual(["Gets 50% off"])
    expect(await found("_")).toEqual(["Uses snake_case"])
    expect(await found("\\")).toEqual(["Writes C:\\notes"])
    const pages = await Promise.all(
      [0, 2].map((offset) => box.client.memory.list({ query: { search: "s", limit: 2, offset } })),
    )
    expect(pages.flatMap(({ memories }) => memories.map(({ text }) => text)).toSorted()).toEqual(
      ["Gets 50% off", "Gets 500 off", "Uses snake_case", "Writes C:\\notes"].toSorted(),
    )
    expect(pages.map(({ pagination }) => pagination.hasMore)).toEqual([true, false])
  })

  it("that fit a question are included first, up to a limit", async () => {
    await using database = await getRows(box.dataDir)
    const memories = createMemories(database.db)
    const user = (await box.client.account.me()).user.id
    await memories.remember(user, "Drives a Fiat Panda from 1998")
    for (let n = 0; n < 10; n++) await memories.remember(user, `Likes colour number${n}`)
    const texts = async (question: string) =>
      (await memories.relevant(user, question)).memories.map(({ text }) => text)
    // While all facts fit, they have the same order for every question.
    expect(await memories.relevant(user, "Is it a panda?")).toMatchObject({ isAll: true })
    expect(await texts("Is it a panda?")).toEqual(await texts("Which colour?"))
    for (let n = 10; n < 30; n++) await memories.remember(user, `Likes colour number${n}`)
    expect(await memories.relevant(user, "Is it a panda?")).toMatchObject({ isAll: false })
    const brought = await texts("Which oil does my panda need?")
    expect(brought[0]).toBe("Drives a Fiat Panda from 1998")
    expect(brought).toHaveLength(12)
    for (let n = 0; n < 12; n++) await memories.remember(user, `long${n} ${`y${n}`.repeat(150)}`)
    expect((await texts("hello")).join("").length).toBeLessThanOrEqual(1500)
  })
})

it.each([
  ["Lives in Rome", "lives in rome!", true],
  ["Ann is vegetarian", "Ann is not vegetarian", true],
  ["Lives in Rome", "Lives in Milan", false],
  ["Has 2 dogs", "Has 3 dogs", false],
  ["The user prefers short answers in Italian", "user prefers short answers in Italian", true],
  ["ネコが好き", "ネコが好き。", true],
  ["!!!", "???", false],
  ["a", "", false],
])("decides whether %s says the same as %s: %s", (one, other, same) => {
  expect(hasSameMeaning(one, other)).toBe(same)
  expect(hasSameMeaning(other, one)).toBe(same)
})

it("weights rare words more, and recognises other forms of a word", () => {
  const [dog, car, none] = relevance("Do my dogs like the car?", [
    "Has a dogs kennel",
    "car car",
    "unrelated",
  ])
  expect(dog).toBeGreaterThan(0)
  expect(car).toBeGreaterThan(0)
  expect(none).toBe(0)
  expect(relevance("Qual è la mia macchina?", ["Ha due macchine"])[0]).toBeGreaterThan(0)
})
