import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { AppError } from "../../../../shared/contract/errors.ts"
import {
  type ChatServer,
  startChatServer,
  startTestEngine,
  type TestEngine,
} from "../../../testing/chat-server.ts"

const boxAddress = "http://127.0.0.1:8484"
let model: TestEngine
let server: ChatServer
beforeAll(() => {
  model = startTestEngine()
})
afterAll(() => model.engine[Symbol.asyncDispose]())
beforeEach(async () => {
  server = await startChatServer({ engine: model.engine })
})
afterEach(() => server[Symbol.asyncDispose]())

async function say(id: string, content: string, user = "alice"): Promise<void> {
  const body = { id, messages: [{ role: "user" as const, content }], boxAddress }
  for await (const event of server.getClient(user).chat.send({ body })) if (event.type === "finish") return
}
const list = async (
  query: {
    search?: string
    origin?: "API" | "APP"
    pinned?: "true" | "false"
    limit?: number
    offset?: number
  } = {},
) => server.getClient("alice").conversations.list({ query })
const titles = async (search: string) => (await list({ search })).chats.map(({ title }) => title)
const getCode = (promise: Promise<unknown>) =>
  promise.then(
    () => "none",
    (error: unknown) => (error instanceof AppError ? error.code : error),
  )

describe("the list of chats", () => {
  // Catches a wrong order, totals of one page instead of all, and an off-by-one error in hasMore.
  test("has pages, with the most recently updated chats first", async () => {
    for (const id of ["a", "b", "c"]) await say(id, `Talk ${id}.`)
    await say("a", "Again.")
    const first = await list({ limit: 2 })
    expect(first.chats.map(({ id }) => id)).toEqual(["a", "c"])
    expect(first.pagination).toEqual({ total: 3, limit: 2, offset: 0, hasMore: true })
    const second = await list({ limit: 2, offset: 2 })
    expect(second.chats.map(({ id }) => id)).toEqual(["b"])
    expect(second.pagination).toMatchObject({ total: 3, hasMore: false })
    expect(await getCode(list({ limit: 0 }))).toBe("validation")
    expect(await getCode(list({ limit: 201 }))).toBe("validation")
    expect(await getCode(list({ offset: -1 }))).toBe("validation")
  })

  // Catches SQL's ASCII-only comparison and its wildcards.
  test("can be searched by title in any case and any script", async () => {
    const all = ["Straße nach ÖLAND.", "Привет мир.", "100% of_it.", "Ποῖος ΛΌΓΟΣ.", "1000 of its."]
    for (const [index, title] of all.entries()) await say(`c${index}`, title)
    expect(await titles("öland")).toEqual([all[0]])
    expect(await titles("STRASSE")).toEqual([all[0]])
    expect(await titles("ПРИВЕТ")).toEqual([all[1]])
    expect(await titles("λόγος")).toEqual([all[3]])
    expect(await titles("0% OF_")).toEqual([all[2]])
    expect(await titles("%")).toEqual([all[2]])
    expect(await titles("\\")).toEqual([])
    expect(await titles("")).toHaveLength(5)
  })

  // Catches an origin that isn't taken from the credential.
  test("can be filtered by origin", async () => {
    await say("by-script", "Hi.")
    await say("by-app", "Hi.", "alice-app")
    expect((await list({ origin: "API" })).chats.map(({ id }) => id)).toEqual(["by-script"])
    expect((await list({ origin: "APP" })).chats.map(({ id }) => id)).toEqual(["by-app"])
  })

  // Catches titles cut inside a character, or taken from an empty first line.
  test("uses the first line as the title, cut at 80 characters", async () => {
    await say("c1", `\n  \n${"🙂".repeat(100)}\nmore.`)
    expect((await list()).chats[0]?.title).toBe("🙂".repeat(80))
  })
})

describe("a chat", () => {
  // Catches a rename that search ignores, or one with a title that the contract forbids.
  test("can be renamed", async () => {
    await say("c1", "Old name.")
    const rename = (title: string) =>
      server.getClient("alice").conversations.update({ params: { id: "c1" }, body: { title } })
    expect((await rename("Neuer NÄME")).chat).toMatchObject({
      id: "c1",
      title: "Neuer NÄME",
      messageCount: 2,
    })
    expect(await titles("näme")).toEqual(["Neuer NÄME"])
    expect(await titles("old")).toEqual([])
    expect((await rename("x".repeat(300))).chat.title).toHaveLength(300)
    expect(await getCode(rename("x".repeat(301)))).toBe("validation")
    expect(await getCode(rename(" "))).toBe("validation")
    await say("c1", "A new first message.")
    expect((await list()).chats[0]?.title).toHaveLength(300)
  })

  // Catches usage figures of an answer that can't be looked up later.
  test("stores the cost of each answer", async () => {
    await say("c1", "Hi.")
    const { messages } = (await server.getClient("alice").conversations.read({ params: { id: "c1" } })).chat
    expect(messages[0]?.usage).toBeNull()
    expect(messages[1]?.usage).toMatchObject({
      completionTokens: 5,
      totalTokens: expect.any(Number) as number,
    })
    expect(messages[1]?.usage?.firstTokenMs).toBeGreaterThan(0)
  })

  // Catches a pin that reorders the list, and a patch that silently changes nothing.
  test("can be pinned", async () => {
    for (const id of ["c1", "c2"]) await say(id, "Hi.")
    const pin = (pinned: boolean) =>
      server.getClient("alice").conversations.update({ params: { id: "c1" }, body: { pinned } })
    expect((await pin(true)).chat).toMatchObject({ title: "Hi.", pinned: true })
    const ids = async (query: Parameters<typeof list>[0]) =>
      (await list(query)).chats.map(({ id, pinned }) => [id, pinned])
    expect(await ids({})).toEqual([
      ["c2", false],
      ["c1", true],
    ])
    expect(await ids({ pinned: "true" })).toEqual([["c1", true]])
    expect(await ids({ pinned: "false" })).toEqual([["c2", false]])
    await say("c1", "More.")
    expect((await pin(false)).chat.pinned).toBe(false)
    const nothing = server.getClient("alice").conversations.update({ params: { id: "c1" }, body: {} })
    await expect(nothing).rejects.toMatchObject({ code: "validation", details: [{ field: "title" }] })
  })

  // Catches messages that remain, and a deletion that doesn't end the running stream.
  test("is deleted with its messages, after its stream has ended", async () => {
    const client = server.getClient("alice")
    const body = { id: "c1", messages: [{ role: "user" as const, content: "Go on!" }], boxAddress }
    for await (const event of client.chat.send({ body })) if (event.type === "text-delta") break
    const run = server.chat.attach("alice", "c1")
    expect(await client.conversations.remove({ params: { id: "c1" } })).toMatchObject({
      success: true,
      id: "c1",
    })
    expect(run.status).toBe("aborted")
    await server.endDeletions()
    expect(await server.database.db.selectFrom("messages").select("id").execute()).toEqual([])
    expect(await client.chat.status({ params: { chatId: "c1" } })).toMatchObject({ status: "not_found" })
    expect(await getCode(client.conversations.remove({ params: { id: "c1" } }))).toBe("not_found")
    expect(await getCode(client.conversations.read({ params: { id: "c1" } }))).toBe("not_found")

    await say("c1", "Once more.")
    expect((await list()).chats.map(({ title }) => title)).toEqual(["Once more."])
  })

  // Catches messages that are missing, duplicated or out of order when they are read in batches.
  test("is read completely, however long it is", async () => {
    await say("c1", "Hi.")
    const head = await server.database.db
      .selectFrom("messages")
      .selectAll()
      .orderBy("depth", "desc")
      .limit(1)
      .executeTakeFirstOrThrow()
    const lengths = Array.from({ length: 300 }, (_, index) =>
      index === 150 ? 200_000 : (index * 37) % 2_000,
    )
    const added = lengths.map((length, index) => ({
      ...head,
      id: `m${index}`,
      parentId: index === 0 ? head.id : `m${index - 1}`,
      depth: head.depth + 1 + index,
      content: "漢".repeat(length),
    }))
    for (const row of added) await server.database.db.insertInto("messages").values(row).execute()
    for (const end of [299, 150, 149, 3]) {
      const query = { branch: `m${end}` }
      const { messages } = (
        await server.getClient("alice").conversations.read({ params: { id: "c1" }, query })
      ).chat
      expect(messages.map(({ content }) => content.length).slice(2)).toEqual(lengths.slice(0, end + 1))
      expect(messages.map(({ id }) => id).slice(2)).toEqual(added.slice(0, end + 1).map(({ id }) => id))
    }
    // simulates a deletion in progress, from the newest message on
    await server.database.db.deleteFrom("messages").where("id", "=", "m100").execute()
    const query = { branch: "m299" }
    await expect(
      server.getClient("alice").conversations.read({ params: { id: "c1" }, query }),
    ).rejects.toBeDefined()
  })

  // Catches an unknown branch that returns an empty transcript.
  test("refuses a branch that isn't its own", async () => {
    await say("c1", "Hi.")
    await say("c2", "Ho.")
    const client = server.getClient("alice")
    const other = (await client.conversations.read({ params: { id: "c2" } })).chat.messages[1]?.id ?? ""
    for (const branch of ["none", other]) {
      expect(await getCode(client.conversations.read({ params: { id: "c1" }, query: { branch } }))).toBe(
        "not_found",
      )
    }
    const unnamed = await client.conversations.read({ params: { id: "c1" }, query: { branch: "" } })
    expect(unnamed.chat.messages).toHaveLength(2)
  })
})
