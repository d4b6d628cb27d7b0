import { startModelServer, type Round } from "../src/box/testing/model-servers/model-server.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { expect, signIn, test } from "./page-test.ts"

const documents = {
  "leave.md": "# Leave\n\nEverybody has thirty days of leave a year.\n\nTravel isn't leave.",
  "costs.csv": ["supplier,amount", "Meyer,10", "Rossi,20.5", "Meyer,30"].join("\n"),
}
const sql = "SELECT supplier, sum(amount) AS total FROM costs GROUP BY supplier ORDER BY supplier"

// Catches rounds of search and reading shown only as tool names and JSON, rounds that don't stay folded, and a document labelled with its
// id.
test("each round of folder tools is described, folded, and readable when opened", async ({ page, box }) => {
  let leave = ""
  const calls = (...all: [name: string, args: object][]): Round => ({
    calls: all.map(([name, args]) => ({ name, args })),
  })
  await using model = await startModelServer(({ messages }) => {
    const rounds: Round[] = [
      calls(["searchFolder", { query: "thirty days of leave", limit: 2 }], ["listFiles", {}]),
      calls(["readFile", { fileId: leave, from: 3, to: 5 }], ["queryTable", { sql: "SHOW TABLES" }]),
      calls(["queryTable", { sql }]),
      { text: "Thirty days; Meyer costs 40 [1]." },
    ]
    return rounds[messages.filter(({ role }) => role === "assistant").length] ?? { text: "Done." }
  })
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  const { vector } = await client.folders.create({ body: { name: "Office" } })
  const params = { id: vector.id }
  for (const [fileName, text] of Object.entries(documents)) {
    const { files } = await client.files.upload({ params, file: new Blob([text]), fileName })
    if (fileName === "leave.md") leave = files[0]?.id ?? ""
  }
  await expect
    .poll(
      async () => (await client.files.list({ params })).files.every((file) => file.status === "completed"),
      {
        timeout: 30_000,
      },
    )
    .toBe(true)
  const { server } = await client.modelServers.add({ body: { name: "Told", url: model.baseUrl } })
  await client.models.choose({ body: { role: "chat", modelId: server.models[0]?.id ?? "" } })

  await signIn(page, box)
  await page.goto(`${box.url}/#/?folder=${vector.id}`)
  await page.getByLabel("Message", { exact: true }).fill("How much leave is there, and what does Meyer cost?")
  await page.keyboard.press("Enter")
  const answer = page.getByLabel("Answer", { exact: true })
  await expect(answer).toContainText("Meyer costs 40")

  const steps = answer.getByText(/^5 steps$/)
  await expect(answer.getByText("Searched documents · Listed documents · Read a document")).toBeVisible()
  await expect(answer.getByText("Everybody has thirty days")).toBeHidden()
  await steps.click()
  await answer.getByText("Searched documents", { exact: true }).click()
  await expect(answer.getByRole("list", { name: "Passages" })).toContainText("leave.md")
  await answer.getByText("Listed documents", { exact: true }).click()
  await expect(answer.getByRole("list", { name: "Documents", exact: true })).toContainText("costs.csv")
  await expect(answer.getByText("leave.md · lines 3–5 of 5")).toBeVisible()
  await answer.getByText("SHOW TABLES", { exact: true }).first().click()
  await expect(answer.getByRole("list", { name: "Tables" })).toContainText("amount number")
  await answer.getByText(sql, { exact: true }).first().click()
  const rows = answer.getByRole("table", { name: "Rows" }).getByRole("row")
  await expect(rows).toHaveText(["suppliertotal", "Meyer40", "Rossi20.5"])
  await expect(answer.getByText('"limit": 2')).toBeHidden()
  await answer.getByText("Raw request and response").first().click()
  await expect(answer.getByText('"limit": 2')).toBeVisible()
  await expectAccessible(page)
})
