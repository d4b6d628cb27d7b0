import { expect, test } from "vitest"
import { sentenceAround } from "./collect-facts.ts"

const around = (text: string, part: string, kind: "paragraph" | "table-row" = "paragraph") =>
  sentenceAround({ kind, text }, text.indexOf(part), text.indexOf(part) + part.length)

// Catches a sentence cut at "1." or "art.", one that includes its neighbours, and rows cut like sentences.
test("returns the sentence, the row, or as much as fits", () => {
  expect(around("It began. The fee\n is due on 1. May 2026 at noon. Then it ends.", "1. May 2026")).toBe(
    "The fee is due on 1. May 2026 at noon.",
  )
  expect(around("By art. 3 it ends 3 May 2026! Other", "3 May 2026")).toBe("By art. 3 it ends 3 May 2026!")
  expect(around("A. Done. | 3 May 2026 | Yes. No.", "3 May 2026", "table-row")).toBe(
    "A. Done. | 3 May 2026 | Yes. No.",
  )
  expect(around(`${"x".repeat(1000)} 3 May 2026 ${"y".repeat(1000)}`, "3 May 2026")).toHaveLength(490)
  expect(around("- one 3 May 2026\n- two", "3 May 2026")).toBe("- one 3 May 2026")
})
