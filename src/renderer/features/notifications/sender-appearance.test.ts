import { describe, expect, test } from "vitest"
import type { Sender } from "../../../shared/contract/notifications.ts"
import { readableOn } from "../../ui/pictures/AssistantAvatar.tsx"
import { hasPicture, getSenderAppearance } from "./sender-appearance.ts"

const appearance = (sender: Sender) => getSenderAppearance({ sender, icon: sender.icon ?? "Bell" })
const imageUrl = "https://example.com/ada.png"

describe("sender appearance", () => {
  test.each<[string, Sender, ReturnType<typeof appearance>]>([
    ["system: its icon", { kind: "system", name: "CI", icon: "Hammer" }, { kind: "glyph", icon: "Hammer" }],
    ["system without one: the category's", { kind: "system" }, { kind: "glyph", icon: "Bell" }],
    ["user with a picture: initials", { kind: "user", name: "Ada Lovelace", imageUrl }, initials("AL")],
    ["picture beats icon", { kind: "assistant", name: "Helper", imageUrl, icon: "Bot" }, initials("H")],
    ["no picture: icon", { kind: "assistant", name: "Helper", icon: "Bot" }, { kind: "glyph", icon: "Bot" }],
    ["neither: initials", { kind: "user", name: "Jean-Luc van der Berg" }, initials("JB")],
    [
      "email: initials of the name",
      { kind: "email", name: "Grace Hopper", email: "x@y.example" },
      initials("GH"),
    ],
    [
      "email without a name: of the address",
      { kind: "email", email: "grace.hopper@y.example" },
      initials("GH"),
    ],
    [
      "email has initials despite an icon",
      { kind: "email", email: "bob@y.example", icon: "Mail" },
      initials("B"),
    ],
    ["nobody: the category's", { kind: "user", name: "…" }, { kind: "glyph", icon: "Bell" }],
    ["letters of any script, whole", { kind: "user", name: "李 𝒜lice" }, initials("李𝒜")],
  ])("%s", (_, sender, expected) => {
    expect(appearance(sender)).toEqual(expected)
  })
})

// Catches an image that is requested for a sender whose image is never shown.
test("shows images only for users and assistants", () => {
  const kinds = ["system", "user", "assistant", "email"] as const
  expect(kinds.filter((kind) => hasPicture({ kind, imageUrl }))).toEqual(["user", "assistant"])
  expect(hasPicture({ kind: "user" })).toBe(false)
})

function initials(text: string) {
  return { kind: "initials" as const, initials: text }
}

test.each([
  ["#ffffff", "#000000"],
  ["#ffd400", "#000000"],
  ["#4F46E5", "#ffffff"],
  ["#000000", "#ffffff"],
])("picks readable text on %s: %s", (background, text) => {
  expect(readableOn(background)).toBe(text)
})
