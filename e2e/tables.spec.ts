import { readFileSync } from "node:fs"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { expect, signIn, test } from "./page-test.ts"

const costs = ["supplier,amount", "Meyer,10", "Rossi,20.5", "Meyer,30"].join("\n")

// Catches a table that the keyboard can't open or leave, a sum that isn't of the shown or selected rows, and SQL that isn't run as written.
// Also catches a selection lost when the same rows are fetched again, state lost while another tab is open, and rows that disappear because
// other SQL has an error.
test(
  "a spreadsheet's rows are filtered, summed and queried with SQL",
  { tag: "@screen/tables" },
  async ({ page, box }) => {
    const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
    const { vector } = await client.folders.create({ body: { name: "Books" } })
    const params = { id: vector.id }
    await client.files.upload({ params, file: new Blob([costs]), fileName: "costs.csv" })
    await expect
      .poll(async () => (await client.files.list({ params })).files[0]?.status, { timeout: 30_000 })
      .toBe("completed")
    await signIn(page, box)
    await page.goto(`${box.url}/#/dc/vector/${vector.id}`)
    await page.getByRole("tab", { name: "Tables" }).click()
    await page
      .getByRole("list", { name: "Tables in this folder" })
      .getByRole("button", { name: /costs\.csv/ })
      .press("Enter")

    const back = page.getByRole("button", { name: "All tables" })
    await expect(back).toBeFocused()
    const table = page.getByRole("grid", { name: "Rows" })
    const suppliers = table.getByRole("row").locator("td:nth-child(2)")
    await expect(suppliers).toHaveText(["Meyer", "Rossi", "Meyer"])
    await page.getByRole("button", { name: "amount" }).click()
    await page.getByRole("button", { name: "amount" }).click()
    await expect(suppliers).toHaveText(["Meyer", "Rossi", "Meyer"])
    await expect(table.locator("td:last-child")).toHaveText(["30", "20.5", "10"])
    await expect(page.getByText("Sum 60.5")).toBeVisible()
    const coming = page.waitForEvent("download")
    await page.getByRole("button", { name: "Export as CSV" }).click()
    const saved = readFileSync(await (await coming).path(), "utf8")
    expect(saved.slice(1).split("\r\n")).toEqual([
      "supplier,amount",
      "Meyer,30",
      "Rossi,20.5",
      "Meyer,10",
      "",
    ])
    await page.getByLabel("Filter rows").fill("meyer")
    await expect(suppliers).toHaveText(["Meyer", "Meyer"])
    await expect(page.getByText("Sum 40")).toBeVisible()
    await expect(page.getByText("Average 20")).toBeVisible()
    await expectAccessible(page)

    // The same rows are fetched again while one of their cells is selected.
    const late = Promise.withResolvers<void>()
    await page.route("**/tables/query", async (route) => {
      const response = await route.fetch()
      const answer = (await response.json()) as { ms: number }
      await late.promise
      await route.fulfill({ response, json: { ...answer, ms: answer.ms + 1 } })
    })
    await page.getByLabel("Filter rows").fill("")
    await expect(suppliers).toHaveText(["Meyer", "Rossi", "Meyer"])
    const selected = page.getByRole("status").filter({ hasText: "Selection" })
    await table.getByRole("gridcell", { name: "20.5" }).click()
    await expect(selected).toContainText("Sum 20.5")
    const fetching = page.getByText("Running…", { exact: true })
    await expect(fetching).toBeAttached()
    late.resolve()
    await expect(fetching).not.toBeAttached()
    await expect(selected).toContainText("Sum 20.5")
    await page.unroute("**/tables/query")
    await table.getByRole("gridcell", { name: "10", exact: true }).click({ modifiers: ["Shift"] })
    await expect(selected).toHaveText("Selection2 valuesSum 30.5Average 15.25")
    await page.keyboard.press("Control+a")
    await expect(selected).toHaveText("Selection6 valuesSum 60.5Average 20.167")
    await expectAccessible(page)
    await page.keyboard.press("Escape")
    await expect(page.getByText("Sum 60.5")).toBeVisible()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Shift+Space")
    await expect(selected).toHaveText("Selection2 valuesSum 30Average 30")
    await table.getByRole("rowheader", { name: "3" }).click({ modifiers: ["Shift"] })
    await expect(selected).toContainText("6 values")

    const sql = page.getByLabel("SQL")
    const name = /FROM ("[^"]+")/.exec(await sql.inputValue())?.[1] ?? ""
    await sql.fill(`SELECT supplier, count(*) AS orders FROM ${name} GROUP BY supplier ORDER BY orders`)
    await sql.press("Control+Enter")
    await expect(suppliers).toHaveText(["Rossi", "Meyer"])
    await expect(sql).toBeFocused()
    await sql.fill(
      `SELECT ${"abcdefgh"
        .split("")
        .map((each) => `supplier AS ${each}`)
        .join(", ")} FROM ${name}`,
    )
    await sql.press("Control+Enter")
    await expect(table.getByRole("columnheader", { name: "h", exact: true })).toBeAttached()
    await table.getByRole("gridcell").last().click()
    await expect(table.getByRole("columnheader").nth(1)).not.toBeInViewport()
    await expect(table.getByRole("rowheader", { name: "3" })).toBeInViewport({ ratio: 1 })
    const columns = await table.getByRole("columnheader").count()
    await sql.fill(`DELETE FROM ${name}`)
    await sql.press("Control+Enter")
    await expect(page.getByRole("alert")).toBeVisible()
    await expect(sql).toHaveValue(`DELETE FROM ${name}`)
    await expect(table.getByRole("columnheader")).toHaveCount(columns)
    await page.getByRole("tab", { name: "Files" }).click()
    await expect(table).toBeHidden()
    await page.getByRole("tab", { name: "Tables" }).click()
    await expect(sql).toHaveValue(`DELETE FROM ${name}`)
    await back.press("Enter")
    await expect(page.getByRole("list", { name: "Tables in this folder" }).getByRole("button")).toBeFocused()
    await page.keyboard.press("Control+,")
    await page.getByRole("link", { name: "Back", exact: true }).click()
    await expect(page.getByRole("tab", { name: "Tables" })).toHaveAttribute("data-state", "active")
  },
)
