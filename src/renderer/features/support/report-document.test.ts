import { expect, test } from "vitest"
import { reportPage, reportText, type WrittenReport } from "./report-draft.ts"

const report: WrittenReport = {
  type: "BUG",
  title: "Search <b>forgets</b>",
  description: "</pre><script>alert(1)</script>",
  screenshot: 'data:image/png;base64,AA"onload="alert(1)',
  attachment: { name: '"><script>.txt', dataUrl: "data:text/plain,hello" },
  uiLogs: [{ ts: "2026-01-01", level: "error", message: "<i>broken</i>" }],
  serverLogs: [],
  page: "/folders",
  context: "Casella 1.0",
}

// Catches a report that runs a script when it is opened.
test("saves a report without any markup from its content", () => {
  const page = reportPage(report)
  expect(page).not.toMatch(/<script|<b>|<i>|"onload/)
  expect(page).toContain("&lt;script&gt;alert(1)")
  expect(page).toContain("default-src 'none'")
  expect(page).toContain('href="data:text/plain,hello"')
})

// Catches log lines or a version missing from the copied text, and empty headings.
test("copies a report with its text, its context and its log lines", () => {
  const text = reportText(report)
  expect(text).toContain("# Search <b>forgets</b>")
  expect(text).toContain("Casella 1.0")
  expect(text).toContain("    2026-01-01 error <i>broken</i>")
  expect(text.match(/^## /gm)).toHaveLength(1)
})
