import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Client } from "../shared/client/http-client.ts"
import { openDatabase } from "./core/database.ts"
import { newId, newSecret, timestamp } from "./core/ids.ts"
import { databasePath } from "./start-box.ts"
import { addUser, startTestBox, type TestBox } from "./testing/test-box.ts"

let box: TestBox
let ann: Client
let ben: Client
let ownerId: string
beforeAll(async () => {
  box = await startTestBox()
  ann = await addUser(box, "ann@example.com")
  ben = await addUser(box, "ben@example.com")
  ownerId = (await ann.account.me()).user.id
})
afterAll(() => box[Symbol.asyncDispose]())

/** Writes rows as if they had come in over months. */
async function fill(write: (db: ReturnType<typeof openDatabase>["db"]) => Promise<unknown>): Promise<void> {
  await using database = openDatabase(databasePath(box.dataDir))
  await write(database.db)
}
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index))
const now = timestamp()
const conflict = { code: "conflict" }

// Each would catch: a script in a loop that fills the disk, or makes every list and start of the box slow.
describe("One person may have a bounded number of", () => {
  it("keys, and frees a place by revoking one", async () => {
    const { keys } = await ann.keys.list()
    await fill((db) =>
      db
        .insertInto("apiKeys")
        .values(
          times(500 - keys.length, (index) => ({
            id: newId(),
            userId: ownerId,
            name: `Key ${index}`,
            kind: "box" as const,
            scopes: '["notify"]',
            hint: "box_",
            hash: Buffer.from(newSecret()),
            createdAt: now,
            lastUsedAt: null,
          })),
        )
        .execute(),
    )
    const create = (client: Client) => client.keys.create({ body: { name: "One more" } })
    await expect(create(ann)).rejects.toMatchObject(conflict)
    await create(ben)
    const spare = (await ann.keys.list()).keys.find(({ name }) => name === "Key 7")
    await ann.keys.revoke({ params: { id: spare?.id ?? "" } })
    await create(ann)
  })

  it("folders", async () => {
    const { vector } = await ann.folders.create({ body: { name: "First" } })
    await fill(async (db) => {
      const row = await db
        .selectFrom("folders")
        .selectAll()
        .where("id", "=", vector.id)
        .executeTakeFirstOrThrow()
      const more = times(999, (index) => ({ ...row, id: newId(), path: `${row.path}-${index}` }))
      for (let from = 0; from < more.length; from += 500)
        await db
          .insertInto("folders")
          .values(more.slice(from, from + 500))
          .execute()
    })
    await expect(ann.folders.create({ body: { name: "One more" } })).rejects.toMatchObject(conflict)
    await ben.folders.create({ body: { name: "Ben's" } })
  })

  it("assistants", async () => {
    const { assistant } = await ann.assistants.create({ body: { name: "First" } })
    await fill(async (db) => {
      const find = db.selectFrom("assistants").selectAll().where("id", "=", assistant.id)
      const row = await find.executeTakeFirstOrThrow()
      const more = times(999, (index) => ({ ...row, id: newId(), handle: `more${index}` }))
      for (let from = 0; from < more.length; from += 500)
        await db
          .insertInto("assistants")
          .values(more.slice(from, from + 500))
          .execute()
    })
    await expect(ann.assistants.create({ body: { name: "One more" } })).rejects.toMatchObject(conflict)
    await ben.assistants.create({ body: { name: "Ben's" } })
  })

  it("facts", async () => {
    await fill((db) =>
      db
        .insertInto("memories")
        .values(
          times(500, () => ({
            id: newId(),
            ownerId,
            text: newId(),
            foldedText: "",
            createdAt: now,
            updatedAt: now,
          })),
        )
        .execute(),
    )
    await expect(ann.memory.remember({ body: { text: "One more" } })).rejects.toMatchObject(conflict)
  })

  it("messages in a chat, its branches included", async () => {
    const { vector } = await ben.folders.create({ body: { name: "Asked" } })
    const send = async (id: string, word: string, count: number) => {
      const messages = times(count, (index) => ({
        role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
        content: `${word} ${index}`,
      }))
      for await (const event of ben.chat.send({
        body: { id, messages, boxAddress: box.url, vector: [vector.id] },
      }))
        if (event.type === "finish") return event.finishReason
      return "none"
    }
    expect(await send("long", "first", 9_999)).toBe("stop")
    await expect(
      send("long", "second", 9_999).then(() => send("long", "third", 9_999)),
    ).rejects.toMatchObject(conflict)
    expect(await send("next", "first", 1)).toBe("stop")
  })

  it("sessions: a further one takes the place of the oldest", async () => {
    const sessions = times(99, (index) => ({
      id: newId(),
      userId: ownerId,
      hash: Buffer.from(newSecret()),
      createdAt: timestamp(Date.now() - 1_000 * (index + 1)),
      expiresAt: timestamp(Date.now() + 1e9),
    }))
    const first = await signIn()
    const hasSession = async (cookie: string) =>
      (await fetch(`${box.url}/api/public/me`, { headers: { cookie, "sec-fetch-site": "same-origin" } })).ok
    await fill(async (db) => {
      await db
        .updateTable("sessions")
        .set({ createdAt: timestamp(0) })
        .execute()
      await db.insertInto("sessions").values(sessions).execute()
    })
    expect(await hasSession(first)).toBe(true)
    const second = await signIn()
    expect(await hasSession(first)).toBe(false)
    expect(await hasSession(second)).toBe(true)
  })
})

async function signIn(): Promise<string> {
  const { links } = await box.client.people.signInLinks({ params: { id: ownerId } })
  const answer = await fetch(`${box.url}/api/public/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: box.url },
    body: JSON.stringify({ token: new URL(links.local).hash.split("token=")[1] }),
  })
  return answer.headers.get("set-cookie")?.split(";")[0] ?? ""
}
