import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { expect, signIn, test } from "./page-test.ts"

const costs = ["supplier,amount", "Meyer,10", "Rossi,20.5", "Meyer,30"].join("\n")

// Would catch a table that can't be opened or left by keyboard, a sum that isn't of the rows that are shown, and SQL that isn't run as it was written.
test("a spreadsheet's rows are filtered, summed and asked by SQL", async ({ page, box }) => {
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
  const table = page.getByRole("table", { name: "Rows" })
  const suppliers = table.getByRole("row").locator("td:first-child")
  await expect(suppliers).toHaveText(["Meyer", "Rossi", "Meyer"])
  await page.getByRole("button", { name: "amount" }).click()
  await page.getByRole("button", { name: "amount" }).click()
  await expect(suppliers).toHaveText(["Meyer", "Rossi", "Meyer"])
  await expect(table.locator("td:last-child")).toHaveText(["30", "20.5", "10"])
  await expect(page.getByText("Sum 60.5")).toBeVisible()
  await page.getByLabel("Filter rows").fill("meyer")
  await expect(suppliers).toHaveText(["Meyer", "Meyer"])
  await expect(page.getByText("Sum 40")).toBeVisible()
  await expect(page.getByText("Average 20")).toBeVisible()
  await expectAccessible(page)

  const sql = page.getByLabel("SQL")
  const name = /FROM ("[^"]+")/.exec(await sql.inputValue())?.[1] ?? ""
  await sql.fill(`SELECT supplier, count(*) AS orders FROM ${name} GROUP BY supplier ORDER BY orders`)
  await sql.press("Control+Enter")
  await expect(suppliers).toHaveText(["Rossi", "Meyer"])
  await expect(sql).toBeFocused()
  await sql.fill(`DELETE FROM ${name}`)
  await sql.press("Control+Enter")
  await expect(page.getByRole("alert")).toBeVisible()
  await back.press("Enter")
  await expect(page.getByRole("list", { name: "Tables in this folder" }).getByRole("button")).toBeFocused()
})
