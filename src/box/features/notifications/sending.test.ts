import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Client } from "../../../shared/client/http-client.ts"
import { ErrorBody } from "../../../shared/contract/errors.ts"
import { newId, timestamp } from "../../core/ids.ts"
import { addUser, startTestBox, type TestBox, getRows } from "../../testing/test-box.ts"
import { createSendLimits } from "./routes.ts"

let box: TestBox
let client: Client
let hers: Client
let her: string
let shared: string
beforeAll(async () => {
  box = await startTestBox()
  client = box.client
  hers = await addUser(box, "ann@example.com")
  her = (await hers.account.me()).user.id
  shared = (await client.account.me()).workspaces[0]?.id ?? ""
})
afterAll(() => box[Symbol.asyncDispose]())

const post = (body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${box.url}/api/public/notifications`, {
    method: "POST",
    headers: { "x-api-key": box.key, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  })

async function refusal(body: unknown): Promise<{ status: number; fields: string[] }> {
  const answer = await post(body)
  const { details } = ErrorBody.parse(await answer.json())
  return { status: answer.status, fields: (details as { field: string }[]).map(({ field }) => field) }
}

const send = async (body: Parameters<Client["notifications"]["send"]>[0]["body"]) =>
  (await client.notifications.send({ body })).notification

describe("The server's own notifications", () => {
  // Catches a script that pretends to be the server.
  it("can't be claimed by a sender", async () => {
    const answer = await post({ title: "Hello", news: { kind: "update_available", version: "9.9" } })
    expect(answer.status).toBe(201)
    expect(JSON.stringify(await answer.json())).not.toContain("update_available")
  })
})

describe("A bare notification", () => {
  // Catches scripts that send null for empty fields and get a 400.
  it("is the same with null in every optional field", async () => {
    const fields =
      "description body type category deepLink icon name sender preview read dedupeKey resurface silentToast silent chatId userId metadata"
    const nothing = Object.fromEntries(fields.split(" ").map((field) => [field, null]))
    const bare = (await client.notifications.send({ body: { title: "Bare" } })).notification
    const answer = await post({ title: "Bare", ...nothing })
    expect(answer.status).toBe(201)
    const { notification } = (await answer.json()) as { notification: typeof bare }
    const { id, createdAt, notifiedAt } = notification
    expect({ ...bare, id, createdAt, notifiedAt }).toEqual(notification)
    const sender = { kind: "user", name: "Ann", imageUrl: null, icon: null, color: null, email: null }
    const withSender = await post({ title: "Bare", sender })
    expect(withSender.status).toBe(201)
    expect(await withSender.json()).toMatchObject({ notification: { sender: { kind: "user", name: "Ann" } } })
    expect((await refusal({ title: null })).status).toBe(400)
  })

  // Catches a default that differs from the API contract.
  it("has the defaults, is stored without any connected app and reports that", async () => {
    const answer = await post({ title: "  Backup finished  " })
    expect(answer.status).toBe(201)
    const body = (await answer.json()) as { notification: Record<string, unknown> }
    expect(body).toMatchObject({ delivered: false, persisted: true })
    expect(body.notification).toMatchObject({
      title: "Backup finished",
      description: "",
      type: "info",
      category: "system",
      chatId: null,
      icon: "Bell",
      sender: { kind: "system" },
      read: false,
      seen: false,
      muted: false,
      metadata: null,
    })
    expect(body.notification["createdAt"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(body.notification).not.toHaveProperty("deepLink")
    expect(body.notification).not.toHaveProperty("preview")
  })
})

describe("Fields", () => {
  it("are stored and read back as sent", async () => {
    const draft = {
      title: "Build failed",
      description: "See the log",
      type: "error",
      category: "backgroundTasks",
      deepLink: "/work",
      chatId: "chat 1",
      preview: "main · 3 errors",
      metadata: { run: 7, nested: { list: [1, "ü", null] } },
    } as const
    const { id } = await send(draft)
    const stored = await client.notifications.read({ params: { id } })
    expect(stored).toMatchObject(draft)
    expect(stored.icon).toBe("Cog")
    const listed = (await client.notifications.list()).notifications.find((entry) => entry.id === id)
    expect(listed).toMatchObject({ title: "Build failed", preview: "main · 3 errors" })
    expect(listed).not.toHaveProperty("metadata")
  })

  // Catches keys that schemas skip and that are lost on the way in or out.
  it("keeps metadata whatever its keys are", async () => {
    const metadata = '{"__proto__":{"a":1},"constructor":2,"":3}'
    const sent = await fetch(`${box.url}/api/public/notifications`, {
      method: "POST",
      headers: { "x-api-key": box.key, "content-type": "application/json" },
      body: `{"title":"Odd keys","metadata":${metadata}}`,
    })
    const { notification } = (await sent.json()) as { notification: { id: string; metadata: unknown } }
    expect(JSON.stringify(notification.metadata)).toBe(metadata)
    const stored = await client.notifications.read({ params: { id: notification.id } })
    expect(JSON.stringify(stored.metadata)).toBe(metadata)
  })

  it("`body` is an alias of `description`, which takes precedence", async () => {
    expect((await send({ title: "x", body: "text" })).description).toBe("text")
    expect((await send({ title: "x", body: "text", description: "better" })).description).toBe("better")
  })

  // Catches icon and name that are mixed into a given sender.
  it("`icon` and `name` alone make a system sender; a given sender replaces both", async () => {
    const folded = await send({ title: "x", icon: "Rocket", name: "Deploy bot" })
    expect(folded).toMatchObject({
      icon: "Rocket",
      sender: { kind: "system", icon: "Rocket", name: "Deploy bot" },
    })
    const given = await send({
      title: "x",
      icon: "Rocket",
      name: "Deploy bot",
      sender: { kind: "email", email: "ann@example.com" },
    })
    expect(given.sender).toEqual({ kind: "email", email: "ann@example.com" })
    expect(given.icon).toBe("Bell")
    const defaulted = await send({ title: "x", sender: { name: "Cron" } })
    expect(defaulted.sender).toEqual({ kind: "system", name: "Cron" })
  })

  it("`read: true` is stored as read and seen, and not counted", async () => {
    const { count } = await client.notifications.unreadCount()
    expect(await send({ title: "x", read: true })).toMatchObject({ read: true, seen: true })
    expect((await client.notifications.unreadCount()).count).toBe(count)
  })
})

describe("Limits", () => {
  it("are inclusive", async () => {
    const answer = await post({
      title: "t".repeat(200),
      description: "d".repeat(2000),
      metadata: { k: "v".repeat(8192 - '{"k":""}'.length) },
    })
    expect(answer.status).toBe(201)
  })

  // Catches bad input that is stored, clamped, or refused without naming its field.
  it.each([
    [{}, "title"],
    [{ title: "" }, "title"],
    [{ title: "   " }, "title"],
    [{ title: 7 }, "title"],
    [{ title: "t".repeat(201) }, "title"],
    [{ title: "x", description: "d".repeat(2001) }, "description"],
    [{ title: "x", body: "d".repeat(2001) }, "body"],
    [{ title: "x", type: "warning" }, "type"],
    [{ title: "x", category: "news" }, "category"],
    [{ title: "x", deepLink: "https://evil.example" }, "deepLink"],
    [{ title: "x", deepLink: "//evil.example" }, "deepLink"],
    [{ title: "x", deepLink: "settings" }, "deepLink"],
    [{ title: "x", chatId: "c", deepLink: "https://evil.example" }, "deepLink"],
    [{ title: "x", icon: "rocket-launch" }, "icon"],
    [{ title: "x", sender: "me" }, "sender"],
    [{ title: "x", sender: { kind: "robot" } }, "sender.kind"],
    [{ title: "x", sender: { imageUrl: "/avatar.png" } }, "sender.imageUrl"],
    [{ title: "x", sender: { imageUrl: "data:image/png;base64,AA==" } }, "sender.imageUrl"],
    [{ title: "x", sender: { imageUrl: "javascript:alert(1)" } }, "sender.imageUrl"],
    [{ title: "x", sender: { color: "red" } }, "sender.color"],
    [{ title: "x", sender: { email: "ann" } }, "sender.email"],
    [{ title: "x", read: "yes" }, "read"],
    [{ title: "x", silent: 1 }, "silent"],
    [{ title: "x", silentToast: "no" }, "silentToast"],
    [{ title: "x", resurface: "false" }, "resurface"],
    [{ title: "x", dedupeKey: "" }, "dedupeKey"],
    [{ title: "x", metadata: [1] }, "metadata"],
    [{ title: "x", metadata: "text" }, "metadata"],
    [{ title: "x", metadata: { k: "v".repeat(8192) } }, "metadata"],
    [{ title: "x", metadata: { k: "ä".repeat(4100) } }, "metadata"],
  ])("%j is a 400 that names %s", async (body, field) => {
    expect(await refusal(body)).toEqual({ status: 400, fields: [field] })
  })

  it("a body that isn't an object or isn't JSON is a 400 too", async () => {
    for (const body of [[], "text", null]) expect((await post(body)).status).toBe(400)
    const broken = await fetch(`${box.url}/api/public/notifications`, {
      method: "POST",
      headers: { "x-api-key": box.key, "content-type": "application/json" },
      body: "{",
    })
    expect(ErrorBody.parse(await broken.json()).code).toBe("invalid_json")
  })

  it("fields that a client may not set are ignored", async () => {
    const forged = { id: "mine", createdAt: "1970-01-01", muted: true, seen: true }
    const sent = await send({ title: "x", ...forged })
    expect(sent.id).not.toBe("mine")
    expect(sent).toMatchObject({ muted: false, seen: false })
    expect(sent.createdAt > "2020").toBe(true)
  })
})

describe("A second send with the same dedupeKey", () => {
  // Catches a duplicate row, and a row that stays read, keeps old content or stays in its old position.
  it("refreshes the row in place and marks it unread again", async () => {
    const draft = { dedupeKey: "sync", description: "first", preview: "p", metadata: { n: 1 } }
    const first = await send({ title: "Syncing", ...draft })
    await client.notifications.update({ params: { id: first.id }, body: { read: true } })
    await send({ title: "between" })
    const second = await send({ title: "Synced", type: "success", dedupeKey: "sync" })
    expect(second).toMatchObject({ id: first.id, title: "Synced", type: "success", description: "" })
    expect(second).toMatchObject({ read: false, seen: false, metadata: null })
    expect(second).not.toHaveProperty("preview")
    expect(second.createdAt >= first.createdAt).toBe(true)
    const { notifications } = await client.notifications.list()
    expect(notifications.filter((entry) => entry.id === first.id)).toHaveLength(1)
    expect(await client.notifications.read({ params: { id: first.id } })).toEqual(second)
  })

  it("refreshes without notifying when `resurface` is false", async () => {
    const first = await send({ title: "Disk at 90 %", dedupeKey: "disk", resurface: false })
    await client.notifications.update({ params: { id: first.id }, body: { read: true } })
    const { count } = await client.notifications.unreadCount()
    const answer = await client.notifications.send({
      body: { title: "Disk at 91 %", dedupeKey: "disk", resurface: false },
    })
    expect(answer).toMatchObject({ delivered: false, persisted: true })
    expect(answer.notification).toMatchObject({ id: first.id, title: "Disk at 91 %", read: true, seen: true })
    expect(answer.notification.notifiedAt).toBe(first.notifiedAt)
    expect((await client.notifications.unreadCount()).count).toBe(count)
  })

  // Catches a read followed by a write without a transaction, which loses or duplicates rows.
  it("makes one row for many concurrent sends", async () => {
    const titles = Array.from({ length: 30 }, (_, index) => `Step ${index}`)
    const sent = await Promise.all(titles.map((title) => send({ title, dedupeKey: "race" })))
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1)
  })

  it("never affects another recipient's row", async () => {
    const mine = await send({ title: "mine", dedupeKey: "same" })
    const theirs = await hers.notifications.send({ body: { title: "hers", dedupeKey: "same" } })
    expect(theirs.notification.id).not.toBe(mine.id)
    expect((await client.notifications.read({ params: { id: mine.id } })).title).toBe("mine")
  })

  // Catches a colleague, or their leaked `notify` key, that rewrites, resurfaces or suppresses someone's notifications.
  it("never affects another sender's row, whichever key sends it", async () => {
    const { key: limited } = await hers.keys.create({ body: { name: "CI", scopes: ["notify"] } })
    const { user: me } = await client.account.me()
    const mine = await send({ title: "mine", dedupeKey: "backup", metadata: { mine: true } })
    await client.notifications.update({ params: { id: mine.id }, body: { read: true } })
    const before = await client.notifications.read({ params: { id: mine.id } })
    const hersToMe: string[] = []
    for (const resurface of [true, false]) {
      for (const colleague of [hers, box.getClient(limited)]) {
        const { notification } = await colleague.notifications.send(
          { body: { title: "hers", dedupeKey: "backup", resurface, userId: me.id } },
          { headers: { "x-organization-id": shared } },
        )
        hersToMe.push(notification.id)
        expect(await client.notifications.read({ params: { id: mine.id } })).toEqual(before)
      }
    }
    expect(new Set(hersToMe).size).toBe(1)
    expect(hersToMe).not.toContain(mine.id)
    // Her earlier send with `resurface: false` doesn't absorb a send to oneself.
    await hers.notifications.send(
      { body: { title: "hers", dedupeKey: "alarm", resurface: false, userId: me.id } },
      { headers: { "x-organization-id": shared } },
    )
    const { count } = await client.notifications.unreadCount()
    await send({ title: "Fire", dedupeKey: "alarm", resurface: false })
    expect((await client.notifications.unreadCount()).count).toBe(count + 1)
    const { key: own } = await client.keys.create({ body: { name: "Mine", scopes: ["notify"] } })
    const refreshed = await box
      .getClient(own)
      .notifications.send({ body: { title: "2", dedupeKey: "backup" } })
    expect(refreshed.notification.id).toBe(mine.id)
  })
})

describe("Sending to another user", () => {
  const to = (userId: string, organization?: string) =>
    post({ title: "Hello", userId }, organization === undefined ? {} : { "x-organization-id": organization })

  it("works inside the workspace that the header names, and reaches only her feed", async () => {
    const answer = await to(her, shared)
    expect(answer.status).toBe(201)
    const { notification } = (await answer.json()) as { notification: { id: string } }
    expect((await hers.notifications.read({ params: { id: notification.id } })).title).toBe("Hello")
    await expect(client.notifications.read({ params: { id: notification.id } })).rejects.toMatchObject({
      code: "not_found",
    })
  })

  // Catches a user who can write to anyone's bell.
  it("is 403 without the header, with another workspace, and to someone outside the workspace", async () => {
    const [outsider, otherWorkspace, ownOnly] = await addOutsider()
    const received = async () => (await hers.notifications.list()).notifications.map(({ id }) => id)
    const before = await received()
    for (const attempt of [
      to(her),
      to(her, ""),
      to(her, "nonsense"),
      to(her, otherWorkspace),
      to(her, ownOnly),
      to(her, `${shared}, ${shared}`),
      to(outsider, shared),
      to(outsider, otherWorkspace),
      to(newId(), shared),
    ]) {
      const answer = await attempt
      expect(answer.status).toBe(403)
      expect(ErrorBody.parse(await answer.json()).code).toBe("forbidden")
    }
    expect(await received()).toEqual(before)
  })

  it("naming oneself needs no header", async () => {
    const { user } = await client.account.me()
    expect((await to(user.id)).status).toBe(201)
  })

  /** A user of another workspace. Returns the user's ID, that workspace's ID, and the ID of a workspace that contains only the owner. */
  async function addOutsider(): Promise<[string, string, string]> {
    await using database = await getRows(box.dataDir)
    const { db } = database
    const { user } = await client.account.me()
    const ids: [string, string, string] = [newId(), newId(), newId()]
    const createdAt = timestamp()
    await db
      .insertInto("users")
      .values({ id: ids[0], email: "eve@example.com", name: "Eve", createdAt })
      .execute()
    for (const [workspaceId, userId] of [
      [ids[1], ids[0]],
      [ids[2], user.id],
    ] as const) {
      await db.insertInto("workspaces").values({ id: workspaceId, name: "Other", createdAt }).execute()
      await db.insertInto("memberships").values({ workspaceId, userId, role: "owner" }).execute()
    }
    return ids
  }
})

describe("A restricted key", () => {
  // Catches a leaked key or a looping program that floods a colleague, even if the same person has other keys.
  it("sends other people 60 notifications a minute, and its owner any number", async () => {
    const make = async (scopes: ("notify" | "folders")[] | null) =>
      box.getClient((await client.keys.create({ body: { name: "CI", scopes } })).key)
    const [one, other, full] = [await make(["notify", "folders"]), await make(["notify"]), await make(null)]
    const toHer = (from: Client) =>
      from.notifications.send(
        { body: { title: "Hello", userId: her, dedupeKey: "flood" } },
        { headers: { "x-organization-id": shared } },
      )
    for (let index = 0; index < 60; index++) await toHer(one)
    await expect(toHer(one)).rejects.toMatchObject({ code: "rate_limited", status: 429 })
    expect((await one.notifications.send({ body: { title: "To myself" } })).persisted).toBe(true)
    for (const from of [other, full]) expect((await toHer(from)).persisted).toBe(true)
  })

  it("sends other people 1,000 notifications a day", () => {
    let now = 0
    const count = createSendLimits(() => now)
    const key = { scopes: ["notify"] as const, credentialId: "one" }
    const perMinute = () => {
      for (let index = 0; index < 60; index++) count(key)
      expect(() => count(key)).toThrow("60 notifications per minute")
      now += 60_000
    }
    for (let minute = 0; minute < 16; minute++) perMinute()
    for (let index = 0; index < 40; index++) count(key)
    now += 60_000
    expect(() => count(key)).toThrow("1000 per day")
    now = 24 * 3_600_000 - 1
    expect(() => count(key)).toThrow("1000 per day")
    now++
    perMinute()
  })

  // Catches a key in a CI job that can read or clear its owner's feed.
  it("only sends with `notify`, and only reads with `read-only`", async () => {
    const make = async (scope: "notify" | "read-only" | "folders") =>
      box.getClient((await client.keys.create({ body: { name: scope, scopes: [scope] } })).key)
    const [notifier, reader, other] = [await make("notify"), await make("read-only"), await make("folders")]
    const { notification } = await notifier.notifications.send({ body: { title: "From CI" } })
    const params = { id: notification.id }
    expect((await reader.notifications.read({ params })).title).toBe("From CI")
    for (const refused of [
      () => notifier.notifications.list(),
      () => notifier.notifications.read({ params }),
      () => notifier.notifications.unreadCount(),
      () => notifier.notifications.remove({ params }),
      () => reader.notifications.send({ body: { title: "x" } }),
      () => reader.notifications.update({ params, body: { read: true } }),
      () => reader.notifications.markAllRead(),
      () => reader.notifications.remove({ params }),
      () => other.notifications.list(),
      () => other.notifications.send({ body: { title: "x" } }),
    ]) {
      await expect(refused()).rejects.toMatchObject({ code: "forbidden" })
    }
  })
})
