import type { Page } from "@playwright/test"
import { startModelServer } from "../src/box/testing/model-servers/model-server.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { expect, signIn, test } from "./page-test.ts"
import { startBox } from "./running-box.ts"

const main = (page: Page) => page.getByRole("main")
const sidebar = (page: Page) => page.getByRole("navigation", { name: "Casella" })

/** A box whose model reports that it is done, and a script's client. */
async function startWorking() {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(await startModelServer(() => ({ text: "All totals are right." })))
  const box = stack.use(await startBox("--model", model.baseUrl))
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  const resources = stack.move()
  return { box, client, model, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

// Catches automations that only scripts can set up, a run whose chat can't be found, and Work in the sidebar of a user without automations.
test(
  "an automation is written and run by hand, and its run is read as a chat",
  { tag: "@screen/work" },
  async ({ page }) => {
    await using working = await startWorking()
    const { box } = working
    await page.emulateMedia({ reducedMotion: "reduce" })
    await signIn(page, box)
    await expect(sidebar(page).getByRole("link", { name: "Inbox" })).toBeVisible()
    await expect(sidebar(page).getByRole("link", { name: "Automations", exact: true })).toHaveCount(0)

    await page.goto(`${box.url}/#/work`)
    await expect(main(page).getByRole("heading", { name: "No automations yet" })).toBeVisible()
    await expect(main(page).getByRole("list", { name: "Templates" }).getByRole("link")).toHaveCount(5)
    await expectAccessible(page, "no automations")
    await main(page)
      .getByRole("link", { name: /^Daily list of open items/ })
      .click()
    await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Daily list of open items")
    await expect(page.getByLabel("Prompt")).toHaveValue(/^Today is \{\{date\}\}\. List the open items/)
    await expect(main(page)).toContainText(/Monday to Friday at 8:30/)
    await expectAccessible(page, "the editor")

    // An error from the box is shown at its field, which gets the focus.
    await page.getByLabel("How often").selectOption("Custom")
    await page.getByLabel("Schedule (cron)").fill("every day")
    await page.getByRole("button", { name: "Create automation" }).click()
    await expect(page.getByText(/Isn't a valid schedule/)).toBeVisible()
    await expect(page.getByLabel("Schedule (cron)")).toBeFocused()

    await page.getByLabel("Schedule (cron)").fill("0 9 * * 1")
    await page.getByLabel("Name", { exact: true }).fill("Totals")
    await page.getByLabel("Prompt").fill("Check them. ")
    await page.getByRole("button", { name: "the date" }).click()
    await expect(page.getByLabel("Prompt")).toHaveValue("Check them. {{date}}")
    await expect(main(page)).toContainText(/Every Monday at 9:00[^.]*: asks the model\. You’re notified/)
    await page.getByRole("button", { name: "Create automation" }).click()

    await expect(page.getByRole("heading", { name: "Totals", level: 1 })).toBeVisible()
    await expect(main(page)).toContainText(/Every Monday at 9:00/)
    await expect(main(page)).toContainText("No runs yet")
    await main(page).getByRole("button", { name: "Run now" }).click()
    const runs = main(page).getByRole("list", { name: "Runs" }).getByRole("listitem")
    await expect(runs).toHaveCount(1)
    await expect(runs.first()).toContainText("Done")
    await expect(runs.first()).toContainText("Started by you")
    await expectAccessible(page, "an automation")
    await runs
      .first()
      .getByRole("link", { name: /^Open chat/ })
      .click()
    await expect(main(page).getByRole("article", { name: "Answer" })).toContainText("All totals are right.")

    await sidebar(page).getByRole("link", { name: "Automations", exact: true }).click()
    const row = main(page).getByRole("list", { name: "Automations" }).getByRole("listitem")
    await expect(row).toContainText("Totals")
    await expect(row).toContainText(/next: .*9:00/)
    await expectAccessible(page, "one automation")
    await row.getByRole("button", { name: "Actions for “Totals”" }).click()
    await page.getByRole("menuitem", { name: "Delete" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click()
    await expect(main(page).getByRole("heading", { name: "No automations yet" })).toBeVisible()
    await expect(sidebar(page).getByRole("link", { name: "Automations", exact: true })).toHaveCount(0)
  },
)

// Catches Work missing from the sidebar on another computer, shown to users without automations, shown only after a visit, or kept after
// the last automation is gone.
test("Work is in the sidebar of every user with an automation, on any computer, from the start", async ({
  page,
  browser,
}) => {
  await using working = await startWorking()
  const { box, client } = working
  const { person } = await client.people.add({ body: { email: "ann@example.com", name: "Ann" } })
  const { links } = await client.people.signInLinks({ params: { id: person.id } })
  const trigger = { kind: "manual" as const }
  const { automation } = await client.automations.create({
    body: { name: "Totals", prompt: "Look.", trigger },
  })
  const work = (of: Page) => sidebar(of).getByRole("link", { name: "Automations", exact: true })
  const asked: string[] = []
  page.on("request", (request) => asked.push(new URL(request.url()).pathname))
  await signIn(page, box)
  await expect(work(page)).toBeVisible()
  await page.waitForLoadState("networkidle")
  expect(asked.filter((path) => path.includes("automations"))).toEqual([])

  const hers = await (await browser.newContext()).newPage()
  await hers.goto(links.local)
  await expect(sidebar(hers).getByRole("link", { name: "Inbox" })).toBeVisible()
  await expect(work(hers)).toHaveCount(0)
  await hers.context().close()

  // The page learns of a script deleting the last automation, and creating a new one, without a visit.
  await client.automations.remove({ params: { id: automation.id } })
  await expect(work(page)).toHaveCount(0)
  await client.automations.create({ body: { name: "Again", prompt: "Look.", trigger } })
  await expect(work(page)).toBeVisible()
})

// Catches a webhook URL that is never shown, or that doesn't start its automation.
test("a webhook URL is shown once and starts its automation", async ({ page }) => {
  await using working = await startWorking()
  const { box, client } = working
  await signIn(page, box)
  await page.goto(`${box.url}/#/work/new`)
  await page.getByLabel("Name", { exact: true }).fill("Builds")
  await page.getByText("Webhook").click()
  await page.getByLabel("Prompt").fill("Say what came of {{input}}.")
  await page.getByRole("button", { name: "Create automation" }).click()
  const dialog = page.getByRole("dialog", { name: "Webhook URL" })
  const address = (await dialog.getByText(/^http:\S+$/).textContent()) ?? ""
  expect((await fetch(address, { method: "POST", body: "build 7" })).status).toBe(202)
  await dialog.getByRole("button", { name: "Done" }).click()
  await expect(page.getByRole("heading", { name: "Builds", level: 1 })).toBeVisible()
  const runs = main(page).getByRole("list", { name: "Runs" }).getByRole("listitem")
  await expect(runs).toContainText("Webhook called")
  await expect(runs).toContainText("Done")
  await page.getByRole("link", { name: "Edit" }).click()
  await page.getByRole("button", { name: "New URL" }).click()
  await expect(dialog).toBeVisible()
  expect((await fetch(address, { method: "POST" })).status).toBe(404)
  const { automations } = await client.automations.list()
  expect(automations[0]).toMatchObject({ trigger: { kind: "hook" } })
})

// Catches a test run that can't use a chosen file, or that is reported as a real run, and a resume that enables more than the pause
// disabled.
test("a file automation is tested on one file; all automations are paused and resumed", async ({ page }) => {
  await using working = await startWorking()
  const { box, client } = working
  const { vector } = await client.folders.create({ body: { name: "Invoices" } })
  const file = { file: new Blob(["Two chairs: 80. Total: 90."]), fileName: "may.md" }
  await client.files.upload({ params: { id: vector.id }, ...file })
  const trigger = { kind: "manual" as const }
  await client.automations.create({ body: { name: "Off before", prompt: "Look.", trigger, enabled: false } })
  await signIn(page, box)
  await page.goto(`${box.url}/#/dc/vector/${vector.id}`)
  await expect(page.getByRole("row").filter({ hasText: "may.md" }).getByText("Indexed")).toBeVisible()
  await page.getByLabel("Folder actions").click()
  await page.getByRole("menuitem", { name: "When a file arrives…" }).click()
  await expect(page.getByRole("combobox", { name: "Folder", exact: true })).toHaveValue(vector.id)
  await page.getByLabel("Name", { exact: true }).fill("Totals")
  await page.getByLabel("File name pattern").fill("*.md")
  await page.getByLabel("Prompt").fill("Check {{file.name}}.")
  await page.getByRole("button", { name: "Create automation" }).click()
  await expect(main(page)).toContainText("When a file matching *.md arrives in “Invoices”")

  await main(page).getByRole("button", { name: "Test", exact: true }).click()
  const dialog = page.getByRole("dialog", { name: "Test run" })
  await dialog.getByLabel("may.md").check()
  await expectAccessible(page, "a trial")
  await dialog.getByRole("button", { name: "Start test" }).click()
  const runs = main(page).getByRole("list", { name: "Runs" }).getByRole("listitem")
  await expect(runs).toContainText("Test run")
  await expect(runs).toContainText("Started by you for “may.md”")
  await expect(runs).toContainText("Done")
  await runs.getByRole("link", { name: /^Open chat/ }).click()
  await expect(main(page).getByRole("article", { name: "Your message" })).toContainText("Check may.md.")

  await page.goto(`${box.url}/#/work`)
  await main(page).getByRole("button", { name: "Pause all" }).click()
  const on = (name: string) => main(page).getByRole("switch", { name: `“${name}” is on` })
  await expect(on("Totals")).not.toBeChecked()
  await main(page).getByRole("button", { name: "Resume all" }).click()
  await expect(on("Totals")).toBeChecked()
  await expect(on("Off before")).not.toBeChecked()
})
