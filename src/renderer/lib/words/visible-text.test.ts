import { expect, test } from "vitest"
import { visibleJson, visibleText } from "./visible-text.ts"

// Catches an address or a command that looks different from what it is.
test("writes out characters that reverse or hide text", () => {
  expect(visibleText("txt.\u202Eexe")).toBe("txt.⟨U+202E⟩exe")
  expect(visibleText("pay\u200Bpal \u2066x\u2069")).toBe("pay⟨U+200B⟩pal ⟨U+2066⟩x⟨U+2069⟩")
  expect(visibleText("a\u{E0041}b\u0007\r")).toBe("a⟨U+E0041⟩b⟨U+0007⟩⟨U+000D⟩")
})

test("keeps ordinary text in any language unchanged", () => {
  const text = "Città\n\t日本語 مرحبا 👍🏽"
  expect(visibleText(text)).toBe(text)
})

test("shows values as JSON and text as text", () => {
  expect(visibleJson({ to: "a\u202Eb" })).toBe('{\n  "to": "a⟨U+202E⟩b"\n}')
  expect(visibleJson("not { JSON")).toBe("not { JSON")
  expect(visibleJson(undefined)).toBe("null")
})
