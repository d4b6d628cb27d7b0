import { readFile } from "node:fs/promises"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { expect, signIn, test } from "./page-test.ts"

const lease = [
  "# Lease",
  "Signed on 1 May 2026 by both parties. The rent of the warehouse is € 1.250,50 a month.",
  "## Notice",
  "The lessee gives notice no later than 31 December 2026. The lessee keeps the warehouse clean.",
].join("\n\n")
const dues = ["invoice,due date", "=HYPERLINK(1),2026-03-05"].join("\n")

// Catches a deadline that opens the wrong place, a value that a spreadsheet would treat as a formula, a skipped file that isn't reported,
// and an overview that needs a model or a mouse.
test(
  "a folder's deadlines and a document's contents are shown without a model",
  { tag: "@screen/overview" },
  async ({ page, box }) => {
    const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
    const { vector } = await client.folders.create({ body: { name: "Contracts" } })
    const params = { id: vector.id }
    for (const [fileName, text] of [
      ["lease.md", lease],
      ["dues.csv", dues],
      ["empty.txt", " "],
    ] as const)
      await client.files.upload({ params, file: new Blob([text]), fileName })
    await expect
      .poll(async () => (await client.folders.read({ params })).vector.pendingCount, { timeout: 30_000 })
      .toBe(0)
    await signIn(page, box)
    await page.goto(`${box.url}/#/dc/vector/${vector.id}`)
    await page.getByRole("tab", { name: "Overview" }).click()

    const table = page.getByRole("table", { name: "Deadlines" })
    const values = table.getByRole("row").locator("td:first-child")
    await expect(values).toHaveText(["Mar 5, 2026", "Dec 31, 2026"])
    await table.getByRole("button", { name: "Date" }).click()
    await expect(values).toHaveText(["Dec 31, 2026", "Mar 5, 2026"])
    await expect(page.getByText("2 files checked")).toBeVisible()
    await page.getByRole("button", { name: "1 file skipped or only partly checked" }).press("Enter")
    await expect(
      page.getByRole("list", { name: "Skipped files, and why" }).getByText("empty.txt"),
    ).toBeVisible()
    await expectAccessible(page)

    const saved = page.waitForEvent("download")
    await page.getByRole("button", { name: "Export as CSV" }).click()
    const csv = await readFile(await (await saved).path(), "utf8")
    expect(csv).toContain("2026-12-31,,yes,31 December 2026,")
    expect(csv).toContain("'=HYPERLINK")

    await table.getByRole("button", { name: "Dec 31, 2026" }).press("Enter")
    const panel = page.getByRole("complementary", { name: "Document" })
    await expect(panel.locator("mark")).toHaveText("The lessee gives notice no later than 31 December 2026.")

    await panel.getByRole("button", { name: "Outline", exact: true }).press("Enter")
    await expect(panel.getByRole("list", { name: "Outline" }).getByRole("button")).toHaveText([
      /^Lease/,
      /^Notice/,
    ])
    await expectAccessible(page)
    await panel.getByRole("button", { name: "Amounts (1)" }).click()
    await panel.getByRole("button", { name: /1,250\.50/ }).press("Enter")
    await expect(panel.locator("mark")).toHaveText("The rent of the warehouse is € 1.250,50 a month.")
    await page.keyboard.press("Escape")

    await page.getByRole("region", { name: "Key terms" }).getByRole("button", { name: "warehouse" }).click()
    await expect(page.getByRole("tab", { name: "Test search" })).toHaveAttribute("data-state", "active")
    await expect(page.getByRole("list", { name: "Passages" }).getByText("lease.md").first()).toBeVisible()
  },
)
