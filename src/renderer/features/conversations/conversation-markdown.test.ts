import i18next from "i18next"
import { beforeAll, expect, test } from "vitest"
import type { Conversation } from "../../../shared/contract/conversations.ts"
import { en } from "../../locales/en/en.ts"
import { conversationMarkdown, exportName } from "./export-chat.ts"

beforeAll(() => i18next.init({ lng: "en", resources: { en } }))

test.each([
  ["What is 1/2: a half?", "What is 1 2 a half.md"],
  ["  ..\u0000..  ", "chat.md"],
  ["CON", "chat.md"],
  ["Über Größe 日本", "Über Größe 日本.md"],
  ["x".repeat(300), `${"x".repeat(100)}.md`],
])("saves %j as a file name that every system accepts", (title, name) => {
  expect(exportName(title)).toBe(name)
})

// Catches citations whose numbers mean nothing outside the app, and a source list with passages that were found but not cited.
test("keeps the citations of answers, with the passages they refer to", () => {
  const shared = {
    attachments: null,
    finishReason: null,
    usage: null,
    assistantId: null,
    createdAt: "2026-01-01T00:00:00.000Z",
  }
  const text = conversationMarkdown({
    title: "Leave",
    updatedAt: "2026-01-01T00:00:00.000Z",
    messages: [
      { ...shared, id: "q", role: "user", content: "How many days?", parts: [] },
      {
        ...shared,
        id: "a",
        role: "assistant",
        content: "28 days [1].",
        parts: [
          {
            type: "source",
            citation: 1,
            fileName: "handbook.pdf",
            location: { page: 3 },
            text: "28 days of leave\na year",
          },
          {
            type: "source",
            citation: 2,
            fileName: "other.pdf",
            location: { page: 4 },
            text: "Something else",
          },
        ],
      },
    ],
  } as unknown as Conversation)
  expect(text).toContain("## Question\n\nHow many days?")
  expect(text).toContain("28 days [1].")
  expect(text).toContain("- [1] handbook.pdf, Page 3\n  > 28 days of leave\n  > a year")
  expect(text).not.toContain("other.pdf")
})
