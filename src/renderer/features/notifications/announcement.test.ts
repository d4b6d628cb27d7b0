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
const ids = ({ toasts, popups, alreadyVisible }: ReturnType<typeof announce>) => ({
  toasts: toasts.map(({ id }) => id),
  popups: popups.map(({ id }) => id),
  alreadyVisible: alreadyVisible.map(({ id }) => id),
})

const arrivals = [
  notification("of this chat", { chatId: "a" }),
  notification("of another", { chatId: "b", deepLink: "/inter/chat/a" }),
  notification("without toast", { silentToast: true }),
  notification("silent", { silent: true }),
  notification("muted", { muted: true }),
]

test("announces nothing that is on screen, and the rest by toast without popup", () => {
  expect(ids(announce(arrivals, here))).toEqual({
    toasts: ["of another"],
    popups: [],
    alreadyVisible: ["of this chat"],
  })
})

// Catches a missing announcement for a chat that is open in an unfocused window.
test("pops up everything except silent or muted notifications when the window has no focus", () => {
  expect(ids(announce(arrivals, { ...here, focused: false }))).toEqual({
    toasts: ["of this chat", "of another"],
    popups: ["of this chat", "of another", "without toast"],
    alreadyVisible: [],
  })
})

test("doesn't announce notifications that the page lists, and leaves them unread", () => {
  const mail = notification("mail", { category: "email" })
  expect(ids(announce([mail], { ...here, path: "/email" }))).toEqual({
    toasts: [],
    popups: [],
    alreadyVisible: [],
  })
  expect(ids(announce([mail], { ...here, path: "/calendar" })).toasts).toEqual(["mail"])
})

test("shows no toasts or popups in do-not-disturb mode", () => {
  expect(ids(announce(arrivals, { ...here, quiet: true, focused: false }))).toEqual({
    toasts: [],
    popups: [],
    alreadyVisible: [],
  })
})

test("ignores a route's query and fragment when it checks what is on screen", () => {
  const link = notification("folder", { deepLink: "/dc/vector/x?file=1" })
  expect(ids(announce([link], { ...here, path: "/dc/vector/x" })).alreadyVisible).toEqual(["folder"])
})
