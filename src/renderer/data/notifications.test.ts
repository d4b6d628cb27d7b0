import { expect, test } from "vitest"
import type { Notification } from "../../shared/contract/notifications.ts"
import { withNewest } from "./notifications.ts"

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

// Would catch rows that vanish, come twice or stay after they were deleted, when news reaches a long list.
test("the newest page takes its place before what follows it", () => {
  const feed = { pages: [page(9, 8, 7), page(6, 5, 4)], pageParams: [0, 3] }
  const next = withNewest(feed, page(10, 9, 7)) // 10 arrived, 8 was deleted
  expect(next.pages.map(({ notifications }) => notifications.map(({ id }) => id))).toEqual([
    ["10", "9", "7"],
    ["6", "5", "4"],
  ])
  const pushed = withNewest(feed, page(12, 11, 10))
  expect(pushed.pages.flatMap(({ notifications }) => notifications.map(({ id }) => id))).toEqual(
    "12 11 10 9 8 7 6 5 4".split(" "),
  )
})
