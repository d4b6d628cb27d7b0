import { readFile } from "node:fs/promises"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { startBox } from "./running-box.ts"
import { expect, signIn, test } from "./page-test.ts"

// Catches a log without user, action or outcome, a filter without effect, older entries that can't be reached, and a download that the box
// refuses to serve to the browser.
test(
  "owners see who did what, filter it by subject and person, and export it",
  { tag: "@screen/audit" },
  async ({ page }) => {
    await using box = await startBox()
    const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
    await signIn(page, box)
    await page.goto(`${box.url}/#/settings/audit`)
    await page.getByLabel("Subject").selectOption("Models")
    await expect(page.getByText("No entries match this filter")).toBeVisible()

    const ann = { name: "Ann", email: "ann@example.com", role: "member" as const }
    await client.people.add({ body: ann })
    await client.people.add({ body: ann }).catch(() => undefined)
    for (let left = 55; left > 0; left--)
      await client.modelServers.remove({ params: { serverId: "none" } }).catch(() => undefined)
    await page.reload()
    const list = page.getByRole("list", { name: "Audit log" })
    const rows = list.getByRole("listitem")
    await expect(rows).toHaveCount(50)
    await page.getByRole("button", { name: "Show more" }).click()
    await expect(rows).toHaveCount(58) // signing in created a link
    await expect(page.getByRole("button", { name: "Show more" })).toBeHidden()

    await page.getByLabel("Subject").selectOption("People")
    await expect(rows).toHaveCount(3)
    await expect(rows.first()).toContainText("Failed")
    await expect(rows.nth(1)).toContainText("Person added · Ann")
    await expect(rows.nth(1)).toContainText("You, with the key")
    await expect(rows.nth(1)).toContainText("Succeeded")
    await expectAccessible(page, "the audit log")
    await page.getByLabel("Person").selectOption("Ann (ann@example.com)")
    await expect(page.getByText("No entries match this filter")).toBeVisible()

    const downloading = page.waitForEvent("download")
    await page.getByRole("button", { name: "Download all" }).click()
    const saved = await readFile(await (await downloading).path(), "utf8")
    expect(
      saved
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as { action: string }).action),
    ).toContain("people.added")
  },
)

// Catches a server error that looks like an empty log.
test("a log that can't be read reports the error", async ({ page }) => {
  await using box = await startBox()
  await signIn(page, box)
  await page.route("**/api/public/audit-log?*", (route) =>
    route.fulfill({ status: 403, json: { error: { code: "forbidden", message: "Not now." } } }),
  )
  await page.goto(`${box.url}/#/settings/audit`)
  await expect(page.getByRole("alert")).toContainText("Not now.")
  await expect(page.getByText("No entries yet")).toBeHidden()
})
