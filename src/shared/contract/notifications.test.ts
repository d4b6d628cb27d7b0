import { describe, expect, it } from "vitest"
import { categories, DeepLink, NotificationDraft } from "./notifications.ts"
import { choosePresentation, getRoute } from "../presentation.ts"
import "./messages.ts"

describe("Deep links", () => {
  it.each([
    "/",
    "/inter/chat/01-ä b",
    "/dc/vector/7",
    "/messaggi?channel=4&next=https://x.example//y",
    "/settings#mute",
  ])("%j is accepted as a route", (link) => expect(DeepLink.parse(link)).toBe(link))

  // Catches a notification whose click leaves the app for a page chosen by the sender.
  it.each([
    "",
    "settings",
    "https://evil.example",
    "javascript:alert(1)",
    "//evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "/\r\\evil.example",
    "/\u0000",
    "/settings\u007f",
    "/settings\u0085",
    "/settings\u2028",
    " /settings",
    "\\\\evil.example",
    "file:///etc/passwd",
    "/a\\..\\b",
    `/${"x".repeat(2048)}`,
  ])("%j is refused", (link) => expect(DeepLink.safeParse(link).success).toBe(false))

  // Catches a form that passes the regular expression but that a browser reads as another host.
  it("stay on the page's host whatever follows the slash", () => {
    const parts = [
      "/",
      "\\",
      "\t",
      "\n",
      "\u0000",
      "@",
      ":",
      ".",
      "evil.example",
      "%2f",
      "%5c",
      "?",
      "#",
      "a",
    ]
    for (const a of parts)
      for (const b of parts)
        for (const c of parts) {
          const link = `/${a}${b}${c}`
          if (!DeepLink.safeParse(link).success) continue
          expect(new URL(link, "http://app.example").host, JSON.stringify(link)).toBe("app.example")
        }
  })
})

describe("Categories", () => {
  // Catches a category that was lost, or that wrongly can or can't be muted.
  it("are complete, and only some can be muted", () => {
    const table: Record<string, boolean> = {
      system: false,
      backgroundTasks: true,
      chat: true,
      calendar: true,
      email: true,
      messaging: false,
      scheduler: true,
      contacts: true,
      transcription: true,
      misconduct: true,
      appUpdates: true,
    }
    const ours = Object.entries(categories).map(([category, { mutable }]) => [category, mutable])
    expect(Object.fromEntries(ours)).toEqual(table)
  })
})

describe("Presentation of a notification", () => {
  const plain = { read: false, muted: false, silent: false, silentToast: false }
  it.each([
    [plain, { toast: true, popup: true, badge: true }],
    [
      { ...plain, silentToast: true },
      { toast: false, popup: true, badge: true },
    ],
    [
      { ...plain, silent: true },
      { toast: false, popup: false, badge: true },
    ],
    [
      { ...plain, muted: true },
      { toast: false, popup: false, badge: false },
    ],
    [
      { ...plain, read: true },
      { toast: true, popup: true, badge: false },
    ],
  ])("presents %j as %j", (flags, shown) => expect(choosePresentation(flags)).toEqual(shown))

  it("opens the chat rather than the link on a click", () => {
    expect(getRoute({ chatId: "a/b", deepLink: "/settings" })).toBe("/inter/chat/a%2Fb")
    expect(getRoute({ chatId: null, deepLink: "/settings" })).toBe("/settings")
    expect(getRoute({ chatId: null })).toBeNull()
  })
})

it("measures metadata in bytes of UTF-8", () => {
  const fits = (text: string) => NotificationDraft.safeParse({ title: "x", metadata: { k: text } }).success
  const wrapping = '{"k":""}'.length
  expect(fits("a".repeat(8192 - wrapping))).toBe(true)
  expect(fits("a".repeat(8193 - wrapping))).toBe(false)
  expect(fits("ä".repeat(4097))).toBe(false)
  const list = NotificationDraft.safeParse({ title: "x", metadata: [1] })
  expect(list.error?.issues[0]?.message).toBe("must be a JSON object")
})
