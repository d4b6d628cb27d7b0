import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest"
import type { Client } from "../../../shared/client/http-client.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import { startTestBox, type TestBox } from "../../testing/test-box.ts"
import { createSnoozing } from "./service.ts"

let box: TestBox
beforeEach(async () => {
  box = await startTestBox()
})
afterEach(() => box[Symbol.asyncDispose]())

const msFromNow = (ms: number) => new Date(Date.now() + ms).toISOString()
const send = async (title: string, more: Record<string, unknown> = {}) =>
  (await box.client.notifications.send({ body: { title, ...more } })).notification
const change = (id: string, body: Parameters<Client["notifications"]["update"]>[0]["body"]) =>
  box.client.notifications.update({ params: { id }, body })
const unread = async () => (await box.client.notifications.unreadCount()).count
const unreadTitles = async () =>
  (await box.client.notifications.list({ query: { unreadOnly: true } })).notifications.map(
    ({ title }) => title,
  )

// Catches a snoozed notification that disappears, that is counted before its time, or that is lost when the server stops.
test("a snoozed notification is read until its time, and then appears as if it had just been sent", async () => {
  const { id } = await send("call back")
  await send("later one")
  const until = msFromNow(-1)
  expect(await change(id, { snoozedUntil: until })).toMatchObject({
    read: true,
    seen: true,
    snoozedUntil: until,
  })
  expect(await unread()).toBe(1)
  expect((await box.client.notifications.list()).notifications).toHaveLength(2)
  await box.restart()
  const [first] = (await box.client.notifications.list()).notifications
  expect(first).toMatchObject({ id, title: "call back", read: false, seen: false, snoozedUntil: null })
  expect(await unread()).toBe(2)
})

// Catches a notification that appears before its time, or although someone has marked it as read or it was sent again.
test("a snoozed notification doesn't appear early, or after it was read or sent again", async () => {
  const early = await send("early")
  const read = await send("read")
  const resent = await send("anew", { dedupeKey: "k" })
  await change(early.id, { snoozedUntil: msFromNow(3_600_000) })
  await change(read.id, { snoozedUntil: msFromNow(-1) })
  expect(await change(read.id, { read: true })).toMatchObject({ read: true, snoozedUntil: null })
  const until = msFromNow(3_600_000)
  await change(resent.id, { snoozedUntil: until })
  const again = { dedupeKey: "k", resurface: false }
  expect(await send("anew", again)).toMatchObject({ read: true, snoozedUntil: until })
  expect(await send("anew", { dedupeKey: "k" })).toMatchObject({ read: false, snoozedUntil: null })
  await box.restart()
  expect(await unreadTitles()).toEqual(["anew"])
})

// Catches a server that keeps waking up although nothing is snoozed, and one that stops checking after a snooze.
test("an idle server doesn't check for anything while nothing is snoozed", async () => {
  // Leaves `setImmediate` real, because the server of the other tests yields with it.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] })
  onTestFinished(() => void vi.useRealTimers())
  let checkCount = 0
  let left = 0
  const looked = () => {
    checkCount++
    left = Math.max(0, left - 1)
    return Promise.resolve()
  }
  using snoozing = createSnoozing(
    { wakeSnoozed: looked, hasSnoozed: () => Promise.resolve(left > 0) },
    silentLogger,
  )
  await snoozing.start()
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(checkCount).toBe(1)
  left = 2
  snoozing.onSnoozed()
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(checkCount).toBe(3)
})

// Catches an end time in words, after which the notification would never appear, and a time that is compared in another time zone.
test("a notification is snoozed until a moment, in whichever time zone it is given", async () => {
  const { id } = await send("call back")
  const wrong = { snoozedUntil: "tomorrow" }
  await expect(change(id, wrong)).rejects.toMatchObject({ code: "validation" })
  expect(await change(id, { snoozedUntil: "2099-01-31T09:00:00+02:00" })).toMatchObject({
    snoozedUntil: "2099-01-31T07:00:00.000Z",
  })
})
