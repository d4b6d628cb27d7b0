import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { Client } from "../../../shared/client/http-client.ts"
import { ErrorBody } from "../../../shared/contract/errors.ts"
import { NotificationDraft } from "../../../shared/contract/notifications.ts"
import { newId, timestamp } from "../../core/ids.ts"
import { addUser, startTestBox, type TestBox, getRows } from "../../testing/test-box.ts"
import { toRow } from "./feed.ts"

let box: TestBox
let user: Client
let number = 0
beforeAll(async () => {
  box = await startTestBox()
})
afterAll(() => box[Symbol.asyncDispose]())
beforeEach(async () => {
  user = await addUser(box, `user-${String(number++)}@example.com`) // each test has its own feed
})

const send = async (title: string, more: Record<string, unknown> = {}) =>
  (await user.notifications.send({ body: { title, ...more } })).notification
const titles = async (query: Parameters<Client["notifications"]["list"]>[0] = {}) =>
  (await user.notifications.list(query)).notifications.map(({ title }) => title)
const unread = async () => (await user.notifications.unreadCount()).count

/** Inserts rows directly, as `send` stores them. */
async function fill(amount: number): Promise<void> {
  const { user: me } = await user.account.me()
  const draft = NotificationDraft.parse({ title: "x" })
  const rows = Array.from({ length: amount }, () =>
    toRow(draft, { id: newId(), userId: me.id, by: { userId: me.id }, muted: false, now: timestamp() }),
  )
  await using database = await getRows(box.dataDir)
  await database.db.insertInto("notifications").values(rows).execute()
}

describe("The list", () => {
  it("is newest first, in pages, with its totals", async () => {
    for (const title of ["1", "2", "3", "4", "5"]) await send(title)
    const page = await user.notifications.list({ query: { limit: 2, offset: 1 } })
    expect(page.notifications.map(({ title }) => title)).toEqual(["4", "3"])
    expect(page.pagination).toEqual({ total: 5, limit: 2, offset: 1, hasMore: true })
    expect(page.unreadCount).toBe(5)
    const last = await user.notifications.list({ query: { limit: 2, offset: 3 } })
    expect(last.pagination.hasMore).toBe(false)
    expect((await user.notifications.list()).pagination).toMatchObject({ limit: 50, offset: 0 })
    expect((await user.notifications.list({ query: { offset: 9 } })).notifications).toEqual([])
  })

  // Catches a filter that the total ignores.
  it("filters by unread, category and both, and counts only matching notifications", async () => {
    await send("mail", { category: "email" })
    await send("old mail", { category: "email", read: true })
    await send("job", { category: "backgroundTasks" })
    expect(await titles({ query: { category: "email" } })).toEqual(["old mail", "mail"])
    expect(await titles({ query: { unreadOnly: true } })).toEqual(["job", "mail"])
    expect(await titles({ query: { unreadOnly: false } })).toHaveLength(3)
    const both = await user.notifications.list({ query: { unreadOnly: true, category: "email" } })
    expect(both.notifications.map(({ title }) => title)).toEqual(["mail"])
    expect(both.pagination.total).toBe(1)
    expect(both.unreadCount).toBe(2)
  })

  it.each([
    ["limit=0", "limit"],
    ["limit=201", "limit"],
    ["limit=ten", "limit"],
    ["offset=-1", "offset"],
    ["unreadOnly=yes", "unreadOnly"],
    ["unreadOnly=1", "unreadOnly"],
    ["category=news", "category"],
    ["muted=maybe", "muted"],
  ])("?%s is a 400", async (query, field) => {
    const answer = await fetch(`${box.url}/api/public/notifications?${query}`, {
      headers: { "x-api-key": box.key },
    })
    expect(answer.status).toBe(400)
    expect(ErrorBody.parse(await answer.json()).details).toMatchObject([{ field }])
  })
})

describe("Flags", () => {
  // Catches a change of flags that differs from the API contract.
  it("support every transition", async () => {
    const { id } = await send("x")
    const patch = (body: { read?: boolean; seen?: boolean }) =>
      user.notifications.update({ params: { id }, body })
    expect(await patch({ seen: true })).toMatchObject({ read: false, seen: true })
    expect(await unread()).toBe(1)
    expect(await patch({ read: true })).toMatchObject({ read: true, seen: true })
    expect(await unread()).toBe(0)
    expect(await patch({ read: false })).toMatchObject({ read: false, seen: true })
    expect(await unread()).toBe(1)
    expect(await patch({ read: false, seen: false })).toMatchObject({ read: false, seen: false })
    expect(await patch({ read: true })).toMatchObject({ read: true, seen: true })
    expect(await patch({ seen: false })).toMatchObject({ read: true, seen: true })
    expect(await patch({})).toMatchObject({ read: true, seen: true })
    expect(await user.notifications.read({ params: { id } })).toMatchObject({ read: true, seen: true })
  })

  // Catches two concurrent changes of which one is lost.
  it("keep all concurrent changes", async () => {
    for (let round = 0; round < 20; round++) {
      const params = { id: (await send("x")).id }
      await Promise.all([
        user.notifications.update({ params, body: { seen: true } }),
        user.notifications.update({ params, body: { read: true } }),
        user.notifications.update({ params, body: { seen: true } }),
      ])
      expect(await user.notifications.read({ params })).toMatchObject({ read: true, seen: true })
    }
  })

  it("must be booleans", async () => {
    const { id } = await send("x")
    const wrong = user.notifications.update({ params: { id }, body: { read: "yes" as unknown as boolean } })
    await expect(wrong).rejects.toMatchObject({ code: "validation", details: [{ field: "read" }] })
  })
})

describe("Marking several as seen", () => {
  // Catches another user's rows that are marked, rows that are counted although they were already seen, and a badge that disappears.
  it("marks the caller's own notifications, returns how many changed, and leaves them unread", async () => {
    const ids = [(await send("a")).id, (await send("b")).id, (await send("read", { read: true })).id]
    const other = await addUser(box, `other-${String(number++)}@example.com`)
    expect(await other.notifications.markSeen({ body: { ids } })).toEqual({ updated: 0 })
    expect(await user.notifications.markSeen({ body: { ids: [...ids, "unknown"] } })).toEqual({ updated: 2 })
    expect(await user.notifications.markSeen({ body: { ids } })).toEqual({ updated: 0 })
    const { notifications } = await user.notifications.list()
    expect(notifications.map(({ title, seen, read }) => ({ title, seen, read }))).toEqual([
      { title: "read", seen: true, read: true },
      { title: "b", seen: true, read: false },
      { title: "a", seen: true, read: false },
    ])
    expect(await unread()).toBe(2)
  })

  it.each([[[]], [Array.from({ length: 201 }, (_, index) => String(index))]])(
    "accepts between one and 200 IDs",
    async (ids) => {
      const wrong = user.notifications.markSeen({ body: { ids } })
      await expect(wrong).rejects.toMatchObject({ code: "validation", details: [{ field: "ids" }] })
    },
  )
})

describe("Marking all as read", () => {
  // Catches literal paths that /:id intercepts, and a count that includes rows that were already read.
  it.each(["POST", "PATCH"])("works by %s and returns how many changed", async (method) => {
    for (let index = 0; index < 3; index++) await send("x")
    await send("read", { read: true })
    const all = method === "POST" ? user.notifications.markAllRead : user.notifications.patchAllRead
    expect(await all()).toEqual({ updated: 3 })
    expect(await all()).toEqual({ updated: 0 })
    const { notifications, unreadCount } = await user.notifications.list()
    expect(unreadCount).toBe(0)
    expect(notifications.map(({ read, seen }) => read && seen)).toEqual([true, true, true, true])
  })

  it("needs no body and no content type", async () => {
    for (const method of ["POST", "PATCH"]) {
      const answer = await fetch(`${box.url}/api/public/notifications/read-all`, {
        method,
        headers: { "x-api-key": box.key },
      })
      expect(answer.status).toBe(200)
    }
  })

  it("handles a feed with more rows than one batch", async () => {
    await fill(1_001)
    expect(await user.notifications.markAllRead()).toEqual({ updated: 1_001 })
    expect(await titles({ query: { unreadOnly: true } })).toEqual([])
  })
})

describe("Deleting", () => {
  it("removes it permanently, and its key can be used again", async () => {
    const { id } = await send("x", { dedupeKey: "k" })
    expect(await user.notifications.remove({ params: { id } })).toEqual({ success: true })
    expect(await unread()).toBe(0)
    expect(await titles()).toEqual([])
    await expect(user.notifications.remove({ params: { id } })).rejects.toMatchObject({ code: "not_found" })
    expect((await send("y", { dedupeKey: "k" })).id).not.toBe(id)
  })
})

describe("Another user's notification", () => {
  // Catches a route that looks up only the ID (Open WebUI and others let users read each other's).
  it("doesn't exist for any operation", async () => {
    const { id } = await send("private")
    const other = await addUser(box, `other-${String(number++)}@example.com`)
    for (const params of [{ id }, { id: "unknown" }]) {
      for (const attempt of [
        () => other.notifications.read({ params }),
        () => other.notifications.update({ params, body: { read: true } }),
        () => other.notifications.remove({ params }),
      ]) {
        await expect(attempt()).rejects.toMatchObject({ code: "not_found" })
      }
    }
    expect((await other.notifications.list()).pagination.total).toBe(0)
    expect(await other.notifications.unreadCount()).toEqual({ count: 0 })
    expect(await other.notifications.markAllRead()).toEqual({ updated: 0 })
    expect(await user.notifications.read({ params: { id } })).toMatchObject({ title: "private", read: false })
  })
})

describe("Stored notifications", () => {
  // Catches counts that drift from the rows after any kind of change.
  it("are counted correctly after many changes of all kinds, and after a restart", async () => {
    const kinds = ["email", "chat", "system"] as const
    for (let step = 0; step < 120; step++) {
      const more = {
        category: kinds[step % 3],
        read: step % 7 === 0,
        ...(step % 2 === 0 ? { dedupeKey: `k${String(step % 10)}`, resurface: step % 4 === 0 } : {}),
      }
      const { id } = await send(`n${String(step)}`, more)
      const params = { id }
      if (step % 5 === 0) await user.notifications.update({ params, body: { read: step % 2 === 0 } })
      if (step % 11 === 0) await user.notifications.remove({ params })
      if (step === 60) await user.notifications.markAllRead()
    }
    await using database = await getRows(box.dataDir)
    const groups = await database.db
      .selectFrom("notifications")
      .select((e) => ["userId", "category", "read", "muted", e.fn.countAll<number>().as("amount")])
      .groupBy(["userId", "category", "read", "muted"])
      .orderBy("userId")
      .orderBy("category")
      .orderBy("read")
      .execute()
    const counts = await database.db
      .selectFrom("notificationCounts")
      .selectAll()
      .where("amount", "!=", 0)
      .orderBy("userId")
      .orderBy("category")
      .orderBy("read")
      .execute()
    expect(counts).toEqual(groups)
  })

  it("survive a restart", async () => {
    const { key } = await user.keys.create({ body: { name: "k" } })
    const { id } = await send("kept", { metadata: { a: 1 } })
    await box.restart()
    const again = box.getClient(key)
    expect(await again.notifications.read({ params: { id } })).toMatchObject({
      title: "kept",
      metadata: { a: 1 },
    })
    expect(await again.notifications.unreadCount()).toEqual({ count: 1 })
  })
})

// Catches inbox categories whose counts include muted or deleted notifications.
it("have a count for each category that isn't empty, without muted ones", async () => {
  await send("mail", { category: "email" })
  await send("old mail", { category: "email", read: true })
  const { id } = await send("gone", { category: "contacts" })
  await user.notifications.remove({ params: { id } })
  await user.settings.update({ body: { mutedCategories: ["calendar"] } })
  await send("muted", { category: "calendar" })
  expect((await user.notifications.counts()).categories).toEqual([{ category: "email", count: 2, unread: 1 }])
})
