import { createClient } from "../src/shared/client/http-client.ts"
import { routes } from "../src/renderer/lib/navigation/routes.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { expect, signIn, test } from "./page-test.ts"

// Catches limits set for the wrong users, and users who can't see their limits and usage.
test("an owner limits all users and one user, who sees their usage and why no more is accepted", async ({
  page,
  box,
  browser,
}) => {
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  const { links } = await client.people.add({
    body: { name: "Ann Example", email: "ann.limits@example.com" },
  })
  await signIn(page, box)
  await page.goto(`${box.url}/#${routes.settings}`)
  await expect(page.getByRole("heading", { name: "You", exact: true })).toBeVisible()
  await expect(page.getByText("Your limits")).toHaveCount(0)

  await page.goto(`${box.url}/#${routes.people}`)
  const limits = page.getByRole("list", { name: "Limits" })
  const dialog = page.getByRole("dialog")
  await page.getByRole("button", { name: "Change limits for Default for everyone" }).click()
  await dialog.getByLabel("Files", { exact: true }).fill("many")
  await dialog.getByRole("button", { name: "Save" }).click()
  await expect(dialog.getByLabel("Files", { exact: true })).toHaveAttribute("aria-invalid", "true")
  await dialog.getByLabel("Files", { exact: true }).fill("1")
  await dialog.getByLabel("Storage (GB)").fill("0.5")
  await dialog.getByRole("button", { name: "Save" }).click()
  const ann = limits.getByRole("listitem").filter({ hasText: "Ann Example" })
  await expect(ann).toContainText("Files: 0 of 1 · Storage: 0 B of 500 MB")

  await page.getByRole("button", { name: "Actions for Ann Example" }).click()
  await page.getByRole("menuitem", { name: "Limits…" }).click()
  await dialog.getByLabel("Answers per day", { exact: true }).selectOption("Individual limit")
  await dialog.getByLabel("Limit: Answers per day").fill("0")
  await dialog.getByLabel("Storage (GB)").selectOption("No limit")
  await expectAccessible(page, "limits")
  await dialog.getByRole("button", { name: "Save" }).click()
  await expect(ann).toContainText("Files: 0 of 1 · Answers today: 0 of 0")

  const context = await browser.newContext()
  const hers = await context.newPage()
  await hers.goto(links.local)
  await expect(hers.getByRole("link", { name: "New chat" }).first()).toBeVisible()
  await hers.goto(`${box.url}/#${routes.people}`)
  await expect(hers.getByRole("listitem").filter({ hasText: "Ann Example" })).toBeVisible()
  await expect(hers.getByRole("list", { name: "Limits" })).toHaveCount(0)
  await hers.goto(`${box.url}/#${routes.settings}`)
  const own = hers.getByRole("list", { name: "Your limits" })
  await expect(own.getByRole("listitem")).toHaveText(["Files0 of 1", "Answers today0 of 0"])
  await expectAccessible(hers, "own limits")
  await context.close()

  await client.quotas.setDefault({ body: { files: null, bytes: null, answers: null, tokens: null } })
})
