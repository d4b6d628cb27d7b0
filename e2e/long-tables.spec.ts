import { readFileSync } from "node:fs"
import type { Locator } from "@playwright/test"
import { expectAccessible } from "./expect-accessible.ts"
import { expect, signIn, testWithStreamingModel } from "./page-test.ts"

const count = 1000
const rows = Array.from(
  { length: count },
  (_, index) =>
    `| lease-${index}.pdf | page ${(index % 90) + 1} | ${"rent ".repeat((index % 7) + 1)}| ${index}.50 |`,
)
const heading = "| Document | Location | What | Amount |\n| --- | --- | --- | ---: |"
const answerText = `All of them:\n${heading}\n${rows.join("\n")}\n| **Total** | | | **500000** |\n\nThat is all.`

const test = testWithStreamingModel(answerText, 1_500)

/** The parts of an element that this test needs, because it has no browser types. */
interface Box {
  x: number
  width: number
}

const getBoxes = (cells: Locator): Promise<Box[]> =>
  cells.evaluateAll((elements: unknown[]) =>
    (elements as { getBoundingClientRect: () => Box }[]).map((element) => {
      const { x, width } = element.getBoundingClientRect()
      return { x, width }
    }),
  )

// Catches a table that is split into several with their own headings and columns, during or after streaming, a heading that scrolls away,
// and rows that are copied or saved twice or not at all.
test("a table of a thousand rows stays in one piece, with its heading in view", async ({
  page,
  box,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"])
  await signIn(page, box)
  await page.getByLabel("Message", { exact: true }).fill("Make a table of all rents.")
  await page.keyboard.press("Enter")
  const answer = page.getByLabel("Answer", { exact: true })
  const table = answer.getByRole("table")
  const head = table.getByRole("columnheader", { name: "Document" })

  // The newest row is in view during streaming.
  await expect.poll(() => table.getByRole("row").count()).toBeGreaterThan(200)
  await expect(page.getByRole("button", { name: "Stop" })).toBeVisible()
  await expect(table).toHaveCount(1)
  await expect(head).toHaveCount(1)
  await expect(head).toBeInViewport()
  await expect(table.getByRole("row").last()).toBeInViewport()

  await expect(answer).toContainText("That is all.", { timeout: 90_000 })
  await expect(table).toHaveCount(1)
  await expect(table.getByRole("row")).toHaveCount(count + 2)
  await expect(head).toHaveCount(1)
  const last = table.getByRole("row").last()
  await expect(last).toContainText("Total")
  await last.scrollIntoViewIfNeeded()
  await expect(last).toBeInViewport()
  await expect(head).toBeInViewport()
  await expect(async () => {
    const heads = await getBoxes(table.getByRole("columnheader"))
    expect(await getBoxes(last.getByRole("cell"))).toEqual(heads)
    expect(await getBoxes(table.getByRole("row").nth(1).getByRole("cell"))).toEqual(heads)
  }).toPass()
  await expectAccessible(page)

  await answer.getByRole("button", { name: "Copy answer" }).click()
  await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe(answerText)
  await answer.getByRole("button", { name: "Export table" }).click()
  const saving = page.waitForEvent("download")
  await page.getByRole("menuitem", { name: "Save table as CSV" }).click()
  const lines = readFileSync(await (await saving).path(), "utf8")
    .trim()
    .split("\r\n")
  expect(lines).toHaveLength(count + 2)
  expect(lines.filter((line) => line.includes("Amount"))).toHaveLength(1)
})
