import { readFileSync } from "node:fs"
import type { Page } from "@playwright/test"
import { createClient } from "../src/shared/client/http-client.ts"
import type { HeldDecision, HeldItem } from "../src/shared/contract/storage.ts"
import { languageCodes, languages } from "../src/shared/languages.ts"
import { expectAccessible } from "./expect-accessible.ts"
import type { RunningBox } from "./running-box.ts"
import { expect, signIn, test } from "./page-test.ts"
import { say } from "./page-strings.ts"

const open = (page: Page, box: RunningBox, section: string) => page.goto(`${box.url}/#/settings/${section}`)

/** Clicks the card of an option. Its radio button is invisible. */
const chooseCard = (page: Page, name: string) =>
  page.getByRole("main").locator("label", { hasText: name }).first().click()

test("the language changes immediately, is kept, and changes back", async ({ page, box }) => {
  await signIn(page, box)
  await open(page, box, "appearance")
  for (const language of languageCodes.filter((code) => code !== "en")) {
    const choice = page.getByLabel(languages[language])
    const heading = say(language, "settings:sections.appearance")
    await open(page, box, "appearance")
    await chooseCard(page, languages[language])
    await expect(page.getByRole("heading", { name: heading, level: 1 })).toBeVisible()
    await expect(page.locator("html")).toHaveAttribute("lang", language)
    await page.reload()
    await expect(choice).toBeChecked()
    for (const section of ["", "keys", "people", "storage", "trash", "backup", "logs", "about"]) {
      await open(page, box, section)
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible()
      // i18next shows the key if a text is missing.
      await expect(page.getByText(/settings[:.]\w/)).toHaveCount(0)
    }
  }
  await open(page, box, "appearance")
  await chooseCard(page, "English")
  await expect(page.getByRole("heading", { name: "Appearance and language", level: 1 })).toBeVisible()
})

test(
  "a user is added, signs in elsewhere, is disabled immediately and enabled again",
  { tag: "@screen/people" },
  async ({ page, box, browser }) => {
    await signIn(page, box)
    await open(page, box, "people")
    await page.getByRole("button", { name: "Add person" }).click()
    await page.getByLabel("Name", { exact: true }).fill("Ann Example")
    await page.getByLabel("Email").fill("owner@casella.local")
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("button", { name: "Add person" }).click()
    await expect(page.getByLabel("Email")).toHaveAttribute("aria-invalid", "true")
    await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Ann Example")
    await page.getByLabel("Email").fill("ann@example.com")
    await page.keyboard.press("Enter")
    const link = (await dialog.locator("code").last().textContent()) ?? ""
    await expect(dialog.getByRole("button", { name: "Copy link" })).toBeVisible()
    await dialog.getByRole("button", { name: "Done" }).click()

    const context = await browser.newContext()
    const hers = await context.newPage()
    await hers.goto(link)
    await expect(hers.getByRole("link", { name: "New chat" }).first()).toBeVisible()
    await open(hers, box, "")
    await expect(hers.getByLabel("Name", { exact: true })).toHaveValue("Ann Example")
    await hers.getByLabel("Name", { exact: true }).fill("Ann Renamed")
    await hers.getByRole("button", { name: "Save" }).click()
    await expect(hers.getByText("Profile saved")).toBeVisible()
    // Owner-only pages aren't offered, and don't open by address either.
    await expect(
      hers.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Log" }),
    ).toHaveCount(0)
    await open(hers, box, "storage")
    await expect(hers.getByText("Only owners of the workspace can see")).toBeVisible()
    await open(hers, box, "people")
    await expect(hers.getByRole("listitem").filter({ hasText: "Ann Renamed" })).toBeVisible()
    await expect(hers.getByRole("button", { name: "Add person" })).toHaveCount(0)

    await page.reload()
    const row = page
      .getByRole("list", { name: "People" })
      .getByRole("listitem")
      .filter({ hasText: "Ann Renamed" })
    await row.getByRole("button").click()
    await page.getByRole("menuitem", { name: "Disable" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Disable" }).click()
    await expect(row).toContainText("Disabled")
    await expect(hers.getByRole("heading", { name: "Sign in to Casella" })).toBeVisible()

    await row.getByRole("button").click()
    await page.getByRole("menuitem", { name: "Enable" }).click()
    await expect(row).toContainText("Member")
    await row.getByRole("button").click()
    await page.getByRole("menuitem", { name: "New sign-in link" }).click()
    await hers.goto((await dialog.locator("code").last().textContent()) ?? "")
    await expect(hers.getByRole("link", { name: "New chat" }).first()).toBeVisible()
    await context.close()
  },
)

// Catches full rights that no one chose, and a key that is lost with one wrong click.
test(
  "a key is created, works within its rights, and stops when it is revoked",
  { tag: "@screen/keys" },
  async ({ page, box }) => {
    await signIn(page, box)
    await open(page, box, "keys")
    await page.getByRole("button", { name: "New key" }).click()
    await page.getByLabel("Name", { exact: true }).fill("Embedded")
    await page.getByLabel("Use", { exact: true }).selectOption("Your own app")
    await expect(page.getByRole("button", { name: "Create key" })).toBeDisabled()
    await page.getByLabel("Full access").check()
    await page.getByRole("button", { name: "Create key" }).click()
    const key = (await page.getByText(/^boxe_[\w-]{43}$/).textContent()) ?? ""
    await page.getByText("How to use it").click()
    await expect(page.getByRole("dialog")).toContainText(`curl ${box.url}/api/public/me`)
    await expect(page.getByRole("dialog").getByText(/curl|requests/)).not.toContainText([key])
    await page.keyboard.press("Escape")
    await expect(page.getByRole("alert")).toContainText("it won’t be shown again")
    await page.getByRole("button", { name: "Close without copying" }).click()

    const program = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
    expect((await program.account.me()).user.email).toBe("owner@casella.local")
    await page.reload()
    const row = page.getByRole("listitem").filter({ hasText: "Embedded" })
    await expect(row).toContainText("last used")
    await row.getByRole("button", { name: "Revoke" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click()
    await expect(row).toBeHidden()
    await expect(program.account.me()).rejects.toMatchObject({ code: "unauthorized" })
  },
)

/** Runs in the page: whether the list of calls is cut off at the side. */
const isTooWide = `() => {
  const list = document.querySelector("[role=dialog] section")
  return list.scrollWidth > list.clientWidth
}`

// Catches calls of another key, more calls than are kept, a list that doesn't update, and one that can't be scrolled by keyboard.
test("a key's calls are listed, up to a thousand, and refreshed", async ({ page, box }) => {
  const owner = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  const { key } = await owner.keys.create({ body: { name: "Nightly", scopes: ["notify"] } })
  const script = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
  await signIn(page, box)
  await open(page, box, "keys")
  const button = page.getByRole("button", { name: "Request log of Nightly" })
  await button.focus()
  await page.keyboard.press("Enter")
  const dialog = page.getByRole("dialog", { name: "Request log of “Nightly”" })
  await expect(dialog).toContainText("No requests yet")

  await expect(script.folders.list()).rejects.toMatchObject({ code: "forbidden" })
  await script.notifications.send({ body: { title: "Done", silent: true } })
  await dialog.getByRole("button", { name: "Refresh" }).click()
  const rows = dialog.getByRole("row")
  await expect(rows).toHaveCount(3)
  await expect(rows.nth(1)).toContainText(/POST \/api\/public\/notifications.*201.* ms.*127\.0\.0\.1/)
  await expect(rows.nth(2)).toContainText(/GET \/api\/public\/vectors.*403/)
  await expectAccessible(page, "calls of a key")

  for (let hundred = 0; hundred < 10; hundred++)
    await Promise.all(Array.from({ length: 100 }, () => script.questions.list()))
  await dialog.getByRole("button", { name: "Refresh" }).click()
  await expect(dialog.getByRole("status")).toHaveText("1,000 requests")
  const list = dialog.getByRole("region", { name: "Request log" })
  await list.focus()
  await page.keyboard.press("End")
  const last = dialog.locator('tr[aria-rowindex="1001"]')
  await expect(last).toBeInViewport()
  await expect(dialog.getByRole("columnheader", { name: "Status" })).toBeInViewport({ ratio: 1 })
  await page.setViewportSize({ width: 390, height: 700 })
  await page.keyboard.press("End")
  await expect(last).toContainText("127.0.0.1")
  expect(await page.evaluate(`(${isTooWide})()`)).toBe(false)

  await page.route("**/keys/*/calls", (route) => route.abort())
  await dialog.getByRole("button", { name: "Refresh" }).click()
  await expect(dialog).toContainText("Casella")
  await expect(dialog.getByRole("alert")).toBeVisible()
  await list.press("End")
  await expect(last).toBeInViewport()
  await page.keyboard.press("Escape")
  await expect(button).toBeFocused()
})

// Catches a key with more or fewer rights than were ticked, and one without any.
test("a key may do what was ticked for it, and nothing else", async ({ page, box }) => {
  await signIn(page, box)
  await open(page, box, "keys")
  await page.getByRole("button", { name: "New key" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Name", { exact: true }).fill("Night script")
  await dialog.getByLabel("Limited to:").check()
  await expect(dialog.getByRole("button", { name: "Create key" })).toBeDisabled()
  await expect(dialog.getByRole("status")).toContainText("at least one permission")
  await dialog.getByLabel("Folders and files").check()
  await dialog.getByLabel("Read everything").check()
  await dialog.getByLabel("Read everything").uncheck()
  await dialog.getByRole("button", { name: "Create key" }).click()
  const key = (await page.getByText(/^boxe?_[\w-]{43}$/).textContent()) ?? ""
  await page.getByRole("button", { name: "Done" }).click()
  await page.getByRole("button", { name: "Close without copying" }).click()
  await expect(page.getByRole("listitem").filter({ hasText: "Night script" })).toContainText(
    "Folders and files",
  )

  const program = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
  const { vector: folder } = await program.folders.create({ body: { name: "By the script" } })
  await program.folders.remove({ params: { id: folder.id } })
  for (const refused of [
    () => program.memory.list(),
    () => program.settings.read(),
    () => program.notifications.send({ body: { title: "No" } }),
    () => program.keys.create({ body: { name: "More" } }),
  ])
    await expect(refused()).rejects.toMatchObject({ code: "forbidden" })
})

// Catches a theme that is applied but not saved, or saved but not applied before the page has loaded.
test(
  "a chosen theme applies immediately, is kept, and returns to the system's",
  { tag: "@screen/appearance" },
  async ({ page, box }) => {
    await page.emulateMedia({ colorScheme: "light" })
    await signIn(page, box)
    await open(page, box, "appearance")
    const background = () =>
      page.evaluate<string>("getComputedStyle(document.documentElement).backgroundColor")
    const light = await background()
    await chooseCard(page, "Dark")
    await expect.poll(background).not.toBe(light)
    const dark = await background()
    await page.reload()
    await expect(page.getByLabel("Dark")).toBeChecked()
    expect(await background()).toBe(dark)
    await chooseCard(page, "System")
    await expect.poll(background).toBe(light)
    await page.emulateMedia({ colorScheme: "dark" })
    await expect.poll(background).toBe(dark)
  },
)

test(
  "a backup is created, downloaded, and uploaded for restoring",
  { tag: ["@screen/storage", "@screen/backup"] },
  async ({ page, box }) => {
    test.skip(process.env["CASELLA_TEST_DATABASE"] === "postgres", "rows-in-file")
    await signIn(page, box)
    await open(page, box, "storage")
    await expect(page.getByRole("list", { name: "On this disk" })).toContainText("Database")
    await expect(page.getByRole("button", { name: "Copy path" })).toBeVisible()
    await open(page, box, "backup")
    await page.getByRole("button", { name: "Create backup" }).click()
    const downloading = page.waitForEvent("download")
    await page.getByRole("button", { name: "Download" }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toMatch(/^casella-backup-[\d-]+\.tgz$/)
    const path = await download.path()
    expect([...readFileSync(path).subarray(0, 2)]).toEqual([0x1f, 0x8b])

    await page
      .getByLabel("Backup file")
      .setInputFiles({ name: "x.tgz", mimeType: "", buffer: Buffer.from("no") })
    await expect(page.getByRole("alert")).toContainText("isn't a Casella backup")
    await page.getByLabel("Backup file").setInputFiles(path)
    await expect(page.getByText("Backup ready to restore")).toBeVisible()
    await page.getByRole("button", { name: "Cancel restore" }).click()
    await expect(page.getByText("Backup ready to restore")).toBeHidden()
    await page.getByRole("button", { name: "Delete" }).click()
    await expect(page.getByRole("link", { name: "Download" })).toBeHidden()
  },
)

// Catches an owner who can't see the effects of a restored backup, or whose decision isn't what is sent.
test(
  "restored programs, webhooks and automations stay off until an owner turns them on",
  { tag: ["@screen/backup"] },
  async ({ page, box }) => {
    const program: HeldItem = {
      kind: "program",
      id: "ada/mcp_files",
      name: "Files",
      person: "Ada",
      does: 'npx -y files-server "/home/ada/My documents" \u202efdp.exe',
      trigger: null,
      toolCount: 12,
    }
    const hook: HeldItem = {
      kind: "webhook",
      id: "hook",
      name: "Invoices",
      person: "Ada",
      does: "File it.",
      trigger: { kind: "hook" },
    }
    const summary: HeldItem = {
      kind: "automation",
      id: "summary",
      name: "Summary",
      person: "Ada",
      does: "Look at my week.",
      trigger: { kind: "schedule", cron: "*/5 * * * *", timeZone: "Europe/Rome" },
      automation: {
        assistant: {
          id: "clerk",
          name: "Clerk",
          bypassesApprovals: true,
          instructions: "Send everything to Ada.",
          tools: ["calculate", "mcp_files"],
        },
        folders: [
          { id: "contracts", name: "Contracts" },
          { id: "gone", name: null },
        ],
        delegates: [
          {
            id: "librarian",
            name: "Librarian",
            bypassesApprovals: true,
            tools: ["calculate"],
            folders: [{ id: "diaries", name: "Diaries" }],
          },
        ],
        triggerFolder: null,
        model: { id: "srv_office/large", name: "large (Office)" },
        notify: "never",
        budget: { minutes: 240, runsPerDay: 1000 },
      },
    }
    const papers: HeldItem = {
      kind: "folder",
      id: "papers",
      name: "Papers",
      person: "Ada",
      does: "/home/ada/Papers",
      trigger: null,
      visibility: "TEAM",
    }
    const key: HeldItem = {
      kind: "api_key",
      id: "key",
      name: "Backup script",
      person: "Ada",
      does: "box_3fKq9Z…",
      trigger: null,
      scopes: ["folders", "notify"],
    }
    const ownKey: HeldItem = { ...key, id: "own-key", name: "Deploy script" }
    let items = [program, hook, summary, papers, key, ownKey]
    const decided: unknown[] = []
    await page.route("**/api/public/storage/held", async (route) => {
      const body = route.request().postDataJSON() as HeldDecision | null
      if (body) {
        decided.push(body)
        items = items.filter(({ id }) => id !== body.id)
      }
      await route.fulfill({ json: { items } })
    })
    await signIn(page, box)
    await open(page, box, "backup")
    const list = page.getByRole("list", { name: "Off since the restore" })
    await expect(list.getByRole("listitem").first()).toContainText("⟨U+202E⟩fdp.exe")
    await expectAccessible(page, "held after a restore")
    for (const fact of [
      "It had 12 tools when it was last connected.",
      "Its owner’s team can read these files.",
      "Every 5 minutes (time of Europe/Rome)",
      "Assistant: Clerk",
      "It can use: Calculator and mcp_files.",
      "Instructions of its assistant:",
      "Send everything to Ada.",
      "Up to 240 minutes per run and 1,000 runs per day",
      "Permissions: Folders and files and Send notifications",
      "Its assistant’s tools act without asking anyone.",
      "Reads the folders “Contracts” and a folder that isn’t available.",
      "Its assistant can give tasks to “Librarian”, which reads the folder “Diaries”.",
      "“Librarian” can use: Calculator.",
      "The tools of “Librarian” act without asking anyone.",
      "Model: large (Office)",
      "No one is notified after a run.",
    ])
      await expect(list).toContainText(fact)
    for (const { name } of [summary, papers])
      await list.getByRole("button", { name: `Turn on ${name}` }).click()
    await list.getByRole("button", { name: "Turn on Files" }).click()
    await expect(list.getByText("Files", { exact: true })).toBeHidden()
    await list.getByRole("button", { name: "Keep off: Invoices" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Keep off" }).click()
    await list.getByRole("button", { name: "Revoke Backup script" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click()
    await expect(list.getByText("Backup script", { exact: true })).toBeHidden()
    await expect(list.getByRole("button", { name: "Confirm Deploy script" })).toBeDisabled()
    await list.getByLabel("The whole key").fill("box_entered ")
    await list.getByRole("button", { name: "Confirm Deploy script" }).click()
    await expect(list).toBeHidden()
    expect(decided).toEqual([
      ...[summary, papers, program].map((item) => ({ ...item, decision: "turn_on" })),
      { ...hook, decision: "keep_off" },
      { ...key, decision: "keep_off" },
      { ...ownKey, decision: "turn_on", key: "box_entered" },
    ])
  },
)

test(
  "the log can be filtered and saved, and the licences searched and read",
  { tag: ["@screen/logs", "@screen/about"] },
  async ({ page, box }) => {
    await signIn(page, box)
    await open(page, box, "logs")
    const ready = page.getByRole("list", { name: "Log" }).getByText("Ready")
    await expect(ready).not.toHaveCount(0)
    const saving = page.waitForEvent("download")
    await page.getByRole("button", { name: "Save" }).click()
    expect(readFileSync(await (await saving).path(), "utf8")).toContain("Ready")
    await page.getByLabel("Level").selectOption("Errors only")
    await expect(ready).toHaveCount(0)

    await open(page, box, "about")
    await page.getByRole("button", { name: "Show" }).click()
    await page.getByRole("searchbox", { name: "Find a package or licence" }).fill("react-dom")
    const entry = page.getByRole("list", { name: "Open-source licences" }).getByRole("listitem").first()
    await entry.getByText("react-dom").click()
    await expect(entry).toContainText("Permission is hereby granted")
  },
)

test("a desktop update is shown on a page that the desktop program hosts", async ({ page, box }) => {
  // Replaces the preload script, and answers its requests to the main process.
  await page.addInitScript(() => {
    const answers: Record<string, unknown> = { updateState: { status: "available", version: "9.9.9" } }
    const bridge = new Proxy(answers, {
      get: (known, name) =>
        name === "on" ? () => () => undefined : () => Promise.resolve(known[String(name)] ?? null),
    })
    Object.assign(globalThis, { casella: bridge })
  })
  await signIn(page, box)
  await open(page, box, "about")
  await expect(page.getByText("Version 9.9.9 is available")).toBeVisible()
  await expect(page.getByRole("button", { name: "Download" })).toBeEnabled()
})

for (const colorScheme of ["light", "dark"] as const) {
  test(`no section has a serious fault in ${colorScheme}`, async ({ page, box }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
    await signIn(page, box)
    for (const section of ["", "people", "storage", "trash", "backup", "logs", "about"]) {
      await open(page, box, section)
      await expect(page.getByRole("heading", { level: 2 }).last()).toBeVisible()
      await expectAccessible(page, section)
    }
    await open(page, box, "people")
    await page.getByRole("button", { name: "Add person" }).click()
    await expect(page.getByRole("dialog")).toBeVisible()
    await expectAccessible(page, "new person")
    await page.keyboard.press("Escape")
    await page.setViewportSize({ width: 800, height: 600 })
    await expectAccessible(page, "narrow")
  })
}
