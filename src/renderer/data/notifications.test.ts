import { expect, test } from "vitest"
import type { Notification } from "../../shared/contract/notifications.ts"
import { applyNotificationMessage, trimFeeds, mergeNewestPage } from "./notifications.ts"
import { queryClient } from "./query-client.ts"

const row = (second: number): Notification => {
  const moment = new Date(second * 1000).toISOString()
  return {
    id: String(second),
    title: "",
    description: "",
    type: "info",
    category: "system",
    chatId: null,
    icon: "Bell",
    sender: { kind: "system" },
    read: false,
    seen: false,
    muted: false,
    silent: false,
    silentToast: false,
    snoozedUntil: null,
    createdAt: moment,
    notifiedAt: moment,
  }
}
const page = (...seconds: number[]) => ({
  notifications: seconds.map(row),
  unreadCount: 0,
  pagination: { total: 9, limit: 3, offset: 0, hasMore: true },
})

// Catches rows that disappear, appear twice or stay after deletion when news reaches a long list.
test("replaces the newest page and keeps what follows it", () => {
  const feed = { pages: [page(9, 8, 7), page(6, 5, 4)], pageParams: [0, 3] }
  const next = mergeNewestPage(feed, page(10, 9, 7)) // 10 is new, 8 was deleted
  expect(next.pages.map(({ notifications }) => notifications.map(({ id }) => id))).toEqual([
    ["10", "9", "7"],
    ["6", "5", "4"],
  ])
  const pushed = mergeNewestPage(feed, page(12, 11, 10))
  expect(pushed.pages.flatMap(({ notifications }) => notifications.map(({ id }) => id))).toEqual(
    "12 11 10 9 8 7 6 5 4".split(" "),
  )
})

// Catches a list that wasn't on screen when a notification arrived, and that later appears without it.
test("keeps a stale list marked as stale after its rows change", async () => {
  const old = ["notifications", { category: "email" }]
  const current = ["notifications", { category: "calendar" }]
  const getState = (queryKey: typeof old) => queryClient.getQueryCache().find({ queryKey })
  const feed = { pages: [page(9, 8), page(7)], pageParams: [0, 2] }
  queryClient.setQueryData(old, feed)
  queryClient.setQueryData(current, feed, { updatedAt: 1_000 })
  await queryClient.invalidateQueries({ queryKey: old })
  for (const change of [
    trimFeeds,
    () => applyNotificationMessage({ type: "notification.updated", notification: { ...row(9), read: true } }),
    () => applyNotificationMessage({ type: "notification.deleted", id: "8" }),
    () => applyNotificationMessage({ type: "unread", count: 0 }),
  ]) {
    change()
    expect(getState(old)?.isStaleByTime(30_000)).toBe(true)
    expect(getState(current)?.state.dataUpdatedAt).toBe(1_000)
  }
  expect(getState(old)?.state.data).toMatchObject({ pages: [{ notifications: [{ id: "9", read: true }] }] })
})
