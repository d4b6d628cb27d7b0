import { expect, test } from "vitest"
import { mentionedAssistant } from "./mention-sources.tsx"

const assistants = [
  { id: "1", handle: "lawyer" },
  { id: "2", handle: "lawyer2" },
]
const found = (text: string) => mentionedAssistant(text, assistants)?.id

// Catches a handle typed without the list that isn't recognised, and an email address that is mistaken for one.
test.each([
  ["@lawyer what is this?", "1"],
  ["What says (@Lawyer2)?", "2"],
  ["Not @lawyer, but @lawyer2.", "2"],
  ["@lawyer, please", "1"],
  ["Write to ann@lawyer.com", undefined],
  ["@lawyer.com is a site", undefined],
  ["@lawyers are many", undefined],
  ["@nobody asked @lawyer", "1"],
  ["plain", undefined],
])("%s", (text, id) => expect(found(text)).toBe(id))
