import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { Client } from "../../../shared/client/http-client.ts"
import { connectApp } from "../../testing/clients.ts"
import { addUser, startTestBox, type TestBox } from "../../testing/test-box.ts"

let box: TestBox
let user: Client
let key: string
let number = 0
beforeAll(async () => {
  box = await startTestBox()
})
afterAll(() => box[Symbol.asyncDispose]())
beforeEach(async () => {
  user = await addUser(box, `user-${String(number++)}@example.com`)
  key = (await user.keys.create({ body: { name: "App" } })).key
})

type Draft = Parameters<Client["notifications"]["send"]>[0]["body"]
const send = (body: Draft) => user.notifications.send({ body })
const types = (messages: { type: string }[]) => messages.map(({ type }) => type)

describe("A connected app", () => {
  it("gets the notification as stored, how to present it, and the new count", async () => {
    using app = await connectApp(box.url, key)
    const sent = await send({ title: "Done", chatId: "c", deepLink: "/work", metadata: { a: 1 } })
    expect(sent).toMatchObject({ delivered: true, persisted: true })
    const { notification, present } = await app.next("notification")
    expect(present).toEqual({ toast: true, popup: true, badge: true })
    const { metadata: _, dedupeKey: __, ...listed } = sent.notification
    expect(notification).toEqual(listed)
    expect(await app.next("unread")).toEqual({ type: "unread", count: 1 })
    expect(await user.notifications.read({ params: { id: notification.id } })).toEqual(sent.notification)
  })

  // Catches a badge with a wrong initial count.
  it("gets the correct number of unread notifications on connecting", async () => {
    await send({ title: "1" })
    await send({ title: "2" })
    await send({ title: "read", read: true })
    using app = await connectApp(box.url, key)
    const { user: me } = await user.account.me()
    expect(app.messages[0]).toMatchObject({ type: "hello", userId: me.id, unreadCount: 2 })
  })

  it("is notified of every change to the feed", async () => {
    const { id } = (await send({ title: "x" })).notification
    await send({ title: "y" })
    using app = await connectApp(box.url, key)
    await user.notifications.update({ params: { id }, body: { read: true } })
    expect((await app.next("notification.updated")).notification).toMatchObject({
      id,
      read: true,
      seen: true,
    })
    expect(await app.next("unread")).toEqual({ type: "unread", count: 1 })
    await user.notifications.remove({ params: { id } })
    expect(await app.next("notification.deleted")).toEqual({ type: "notification.deleted", id })
    expect(await app.next("unread")).toEqual({ type: "unread", count: 1 })
    await user.notifications.markAllRead()
    expect(await app.next("unread")).toEqual({ type: "unread", count: 0 })
  })

  // Catches other people's notifications on this user's screen.
  it("isn't notified of other users' notifications", async () => {
    using app = await connectApp(box.url, key)
    const other = await addUser(box, `other-${String(number++)}@example.com`)
    const { notification } = await other.notifications.send({ body: { title: "not yours" } })
    await other.notifications.remove({ params: { id: notification.id } })
    await send({ title: "yours" })
    expect((await app.next("notification")).notification.title).toBe("yours")
    expect(types(app.messages)).not.toContain("notification.deleted")
  })

  it("gets the notification even if several are connected", async () => {
    using first = await connectApp(box.url, key)
    using second = await connectApp(box.url, key)
    await send({ title: "both" })
    for (const app of [first, second]) {
      expect((await app.next("notification")).notification.title).toBe("both")
    }
  })

  it("gets the text of a notification that a colleague sends", async () => {
    using app = await connectApp(box.url, key)
    const { user: me, workspaces } = await user.account.me()
    const answer = await box.client.notifications.send(
      { body: { title: "From a colleague", userId: me.id } },
      { headers: { "x-organization-id": workspaces[0]?.id ?? "" } },
    )
    expect(answer.delivered).toBe(true)
    expect((await app.next("notification")).notification.title).toBe("From a colleague")
  })
})

describe("Quiet ways of sending", () => {
  it("`silentToast` keeps the popup and the badge", async () => {
    using app = await connectApp(box.url, key)
    await send({ title: "x", silentToast: true })
    expect((await app.next("notification")).present).toEqual({ toast: false, popup: true, badge: true })
  })

  it("`read: true` shows no badge", async () => {
    using app = await connectApp(box.url, key)
    await send({ title: "x", read: true })
    expect((await app.next("notification")).present.badge).toBe(false)
    expect(await app.next("unread")).toEqual({ type: "unread", count: 0 })
  })

  // Catches a silent notification that pops up, or that the bell doesn't show.
  it("`silent` only adds a row to the bell: counted, not emitted", async () => {
    using app = await connectApp(box.url, key)
    expect(await send({ title: "quiet", silent: true })).toMatchObject({ delivered: false, persisted: true })
    expect(await app.next("unread")).toEqual({ type: "unread", count: 1 })
    await send({ title: "loud" })
    expect((await app.next("notification")).notification.title).toBe("loud")
  })

  it("`resurface: false` notifies once; later sends only update the bell", async () => {
    using app = await connectApp(box.url, key)
    const body = { dedupeKey: "k", resurface: false }
    expect((await send({ title: "1", ...body })).delivered).toBe(true)
    expect((await send({ title: "2", ...body })).delivered).toBe(false)
    expect((await send({ title: "3", dedupeKey: "k" })).delivered).toBe(true)
    expect((await app.next("notification")).notification.title).toBe("1")
    expect((await app.next("notification.updated")).notification.title).toBe("2")
    expect((await app.next("notification")).notification.title).toBe("3")
  })

  // Catches two concurrent sends that both consider themselves the first.
  it("`resurface: false` notifies once, even for many concurrent sends", async () => {
    using app = await connectApp(box.url, key)
    const sent = await Promise.all(
      Array.from({ length: 20 }, () => send({ title: "x", dedupeKey: "k", resurface: false })),
    )
    expect(sent.filter(({ delivered }) => delivered)).toHaveLength(1)
    await send({ title: "last" })
    await app.next("notification")
    expect((await app.next("notification")).notification.title).toBe("last")
  })
})

describe("A muted category", () => {
  const mute = (mutedCategories: ("chat" | "email" | "system" | "messaging")[]) =>
    user.settings.update({ body: { mutedCategories } })

  // Catches a muted notification that pops up, is counted or is lost, and a category that stays muted after it was unmuted.
  it("is stored and listed as muted, but neither emitted nor counted", async () => {
    await mute(["chat"])
    using app = await connectApp(box.url, key)
    const sent = await send({ title: "muted", category: "chat" })
    expect(sent).toMatchObject({ delivered: false, persisted: true, notification: { muted: true } })
    expect(await user.notifications.unreadCount()).toEqual({ count: 0 })
    const listed = await user.notifications.list()
    expect(listed.notifications).toMatchObject([{ title: "muted", muted: true, read: false }])
    expect(listed.unreadCount).toBe(0)
    const shown = await user.notifications.list({ query: { muted: false } })
    expect(shown.notifications).toEqual([])
    expect(shown.pagination.total).toBe(0)

    await send({ title: "mail", category: "email" })
    await mute([])
    await send({ title: "chat again", category: "chat" })
    expect((await app.next("notification")).notification.title).toBe("mail")
    expect((await app.next("notification")).notification.title).toBe("chat again")
    expect(types(app.messages).slice(0, 2)).toEqual(["hello", "notification"])
  })

  it("lowers the count when a refreshed notification becomes muted", async () => {
    await send({ title: "1", category: "chat", dedupeKey: "k" })
    await mute(["chat"])
    using app = await connectApp(box.url, key)
    expect(app.messages[0]).toMatchObject({ unreadCount: 1 })
    await send({ title: "2", category: "chat", dedupeKey: "k" })
    expect(await app.next("unread")).toEqual({ type: "unread", count: 0 })
  })

  it("is each user's own setting", async () => {
    const other = await addUser(box, `other-${String(number++)}@example.com`)
    await mute(["chat", "email"])
    expect((await user.settings.read()).settings.mutedCategories).toEqual(["chat", "email"])
    expect((await other.settings.read()).settings.mutedCategories).toEqual([])
    const { notification } = await other.notifications.send({ body: { title: "x", category: "chat" } })
    expect(notification.muted).toBe(false)
  })

  // Catches a colleague who finds out what someone has muted or read by sending them a notification.
  it("isn't revealed to the sender of a notification to another user", async () => {
    const { user: me, workspaces } = await user.account.me()
    const headers = { "x-organization-id": workspaces[0]?.id ?? "" }
    const deliver = async (body: Omit<Draft, "title">) => {
      const sent = await box.client.notifications.send(
        { body: { title: "x", userId: me.id, ...body } },
        { headers },
      )
      const {
        id: _,
        createdAt: __,
        notifiedAt: ___,
        category: ____,
        icon: _____,
        ...rest
      } = sent.notification
      return { ...sent, notification: rest }
    }
    await mute(["chat"])
    expect(await deliver({ category: "chat" })).toEqual(await deliver({ category: "email" }))
    using app = await connectApp(box.url, key)
    const [muted, loud] = [await deliver({ category: "chat" }), await deliver({ category: "email" })]
    expect(muted).toEqual(loud)
    expect(muted).toMatchObject({ delivered: true, persisted: true, notification: { muted: false } })
    expect((await app.next("notification")).notification.category).toBe("email")
    expect((await user.notifications.list({ query: { muted: true } })).pagination.total).toBe(2)

    const quiet = { dedupeKey: "k", resurface: false }
    await deliver(quiet)
    await user.notifications.markAllRead()
    expect((await deliver(quiet)).notification).toMatchObject({ read: false, seen: false })
    expect(
      (await user.notifications.list({ query: { unreadOnly: true, muted: false } })).notifications,
    ).toEqual([])
  })

  it("can't be one of the mandatory categories", async () => {
    for (const category of ["system", "messaging"] as const) {
      await expect(mute(["chat", category])).rejects.toMatchObject({
        code: "validation",
        details: [{ field: "mutedCategories" }],
      })
    }
    await expect(mute(["news" as "chat"])).rejects.toMatchObject({ code: "validation" })
    await expect(mute(["chat", "chat"])).rejects.toMatchObject({ code: "validation" })
    expect((await user.settings.read()).settings.mutedCategories).toEqual([])
  })

  it("doesn't change the server's own settings, and survives a restart", async () => {
    const mine = await box.client.settings.update({
      body: { mutedCategories: ["email"], textEvent: "text" },
    })
    expect(mine.settings).toMatchObject({ mutedCategories: ["email"], textEvent: "text" })
    expect((await user.settings.read()).settings).toMatchObject({ mutedCategories: [], textEvent: "text" })
    await box.restart()
    expect((await box.client.settings.read()).settings).toEqual(mine.settings)
    await box.client.settings.update({ body: { mutedCategories: [], textEvent: "text-delta" } })
  })
})
