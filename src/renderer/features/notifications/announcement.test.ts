import { expect, test } from "vitest"
import type { Notification } from "../../../shared/contract/notifications.ts"
import { announce } from "./announcement.ts"

const moment = "2026-01-01T00:00:00.000Z"
const notification = (id: string, changes: Partial<Notification> = {}): Notification => ({
  id,
  title: id,
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
  ...changes,
})

const here = { quiet: false, focused: true, path: "/inter/chat/a" }
const ids = ({ toasts, popups, lookedAt }: ReturnType<typeof announce>) => ({
  toasts: toasts.map(({ id }) => id),
  popups: popups.map(({ id }) => id),
  lookedAt: lookedAt.map(({ id }) => id),
})

const arrivals = [
  notification("of this chat", { chatId: "a" }),
  notification("of another", { chatId: "b", deepLink: "/inter/chat/a" }),
  notification("without toast", { silentToast: true }),
  notification("silent", { silent: true }),
  notification("muted", { muted: true }),
]

test("what is on screen makes no noise, the rest a toast and no popup", () => {
  expect(ids(announce(arrivals, here))).toEqual({
    toasts: ["of another"],
    popups: [],
    lookedAt: ["of this chat"],
  })
})

// Would catch silence about a chat that is open in a window nobody looks at.
test("in another window, all but what is silent or muted pops up", () => {
  expect(ids(announce(arrivals, { ...here, focused: false }))).toEqual({
    toasts: ["of this chat", "of another"],
    popups: ["of this chat", "of another", "without toast"],
    lookedAt: [],
  })
})

test("what the screen lists makes no noise and stays unread", () => {
  const mail = notification("mail", { category: "email" })
  expect(ids(announce([mail], { ...here, path: "/email" }))).toEqual({ toasts: [], popups: [], lookedAt: [] })
  expect(ids(announce([mail], { ...here, path: "/calendar" })).toasts).toEqual(["mail"])
})

test("do not disturb leaves it to the bell", () => {
  expect(ids(announce(arrivals, { ...here, quiet: true, focused: false }))).toEqual({
    toasts: [],
    popups: [],
    lookedAt: [],
  })
})

test("a route's search and fragment don't matter for what is on screen", () => {
  const link = notification("folder", { deepLink: "/dc/vector/x?file=1" })
  expect(ids(announce([link], { ...here, path: "/dc/vector/x" })).lookedAt).toEqual(["folder"])
})
