import { expect, test } from "vitest"
import { visibleJson, visibleText } from "./visible-text.ts"

// Would catch an address or a command that reads otherwise than it runs.
test("what turns or hides text is written out", () => {
  expect(visibleText("txt.\u202Eexe")).toBe("txt.⟨U+202E⟩exe")
  expect(visibleText("pay\u200Bpal \u2066x\u2069")).toBe("pay⟨U+200B⟩pal ⟨U+2066⟩x⟨U+2069⟩")
  expect(visibleText("a\u{E0041}b\u0007\r")).toBe("a⟨U+E0041⟩b⟨U+0007⟩⟨U+000D⟩")
})

test("ordinary text of any language stays as it is", () => {
  const text = "Città\n\t日本語 مرحبا 👍🏽"
  expect(visibleText(text)).toBe(text)
})

test("values are shown as JSON, text as text", () => {
  expect(visibleJson({ to: "a\u202Eb" })).toBe('{\n  "to": "a⟨U+202E⟩b"\n}')
  expect(visibleJson("not { JSON")).toBe("not { JSON")
  expect(visibleJson(undefined)).toBe("null")
})
