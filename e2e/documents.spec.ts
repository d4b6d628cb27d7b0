import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createClient } from "../src/shared/client/http-client.ts"
import { createFolder, drop, expect, holdCode, signIn, test, writeText } from "./page-test.ts"

const notice = "Either party may end the lease with six months' notice to the end of a quarter."
const filler = (topic: string) =>
  Array.from(
    { length: 60 },
    (_, index) => `${topic}, paragraph ${index + 1}: nothing of interest is said here.`,
  )

test("without a session the page shows how to sign in", async ({ page, box }) => {
  await page.goto(box.url)
  await expect(page.getByRole("heading", { name: "Sign in to Casella" })).toBeVisible()
  await expect(page.getByText("npm run --silent box -- signin")).toBeVisible()
})

test(
  "a sign-in link works once and is removed from the address",
  { tag: "@screen/signIn" },
  async ({ page, box }) => {
    const link = await box.run("signin")
    await page.goto(link)
    // The first-run or the usual screen, depending on earlier journeys.
    const home = page.getByRole("heading", { name: /^(Ask your documents|What would you like to know\?)$/ })
    await expect(home).toBeVisible()
    expect(page.url()).not.toContain("token")

    await page.context().clearCookies()
    await page.goto("about:blank")
    await page.goto(link)
    await expect(page.getByRole("heading", { name: "This link didn’t work" })).toBeVisible()
  },
)

test(
  "an empty folder leads to a cited answer without a model",
  { tag: ["@screen/newChat", "@screen/folders", "@screen/newFolder"] },
  async ({ page, box }, info) => {
    const directory = join(info.outputPath(), "lease")
    mkdirSync(join(directory, "annexes"), { recursive: true })
    writeFileSync(
      join(directory, "lease.md"),
      ["# Lease", ...filler("The rooms"), notice, ...filler("The garden")].join("\n\n"),
    )
    writeFileSync(join(directory, "annexes", "keys.txt"), "Four keys were handed over.")
    writeFileSync(
      join(info.outputPath(), "program.exe"),
      Buffer.from("MZ\u0090\u0000\u0003\u0000\u0000\u0000", "latin1"),
    )

    await signIn(page, box)
    await createFolder(page, "Flat")
    await drop(page, directory, join(info.outputPath(), "program.exe"))

    const rows = page.getByRole("table").getByRole("row")
    await expect(rows.filter({ hasText: "lease.md" }).getByText("Indexed", { exact: true })).toBeVisible()
    await expect(rows.filter({ hasText: "keys.txt" }).getByText("annexes")).toBeVisible()
    await expect(page.getByLabel("Uploads").getByText("is a program, not a document")).toBeVisible()

    await page.getByRole("link", { name: "Ask", exact: true }).click()
    await page.getByLabel("Message", { exact: true }).fill("Sent while the uploads show")
    await page.getByRole("button", { name: "Send", exact: true }).click({ trial: true })
    await page.getByLabel("Message", { exact: true }).fill("")
    await page.goBack()
    await page.getByLabel("Uploads").getByRole("button", { name: "Close" }).click()

    await page.getByRole("tab", { name: "Test search" }).click()
    await page.getByLabel("Enter a question to test").fill("end the lease notice")
    await page.keyboard.press("Enter")
    await expect(page.getByLabel("Passages").getByRole("button").first()).toContainText("six months' notice")

    await page.getByRole("link", { name: "Ask", exact: true }).click()
    await page.getByLabel("Message", { exact: true }).fill("How do I end the lease?")
    await page.keyboard.press("Enter")
    const answer = page.getByLabel("Answer", { exact: true })
    await expect(answer).toContainText("six months' notice")
    await expect(answer.getByRole("link", { name: "Models" })).toBeVisible()

    await answer
      .getByRole("button", { name: /^Source \d/ })
      .first()
      .click()
    const document = page.getByRole("complementary", { name: "Document" })
    await expect(document.locator('mark[data-mark="strong"]').first()).toBeInViewport()
    await expect(document.locator("mark").filter({ hasText: "six months' notice" })).toHaveCount(1)
    await page.keyboard.press("Escape")
    await expect(document).toBeHidden()

    await page.reload()
    await expect(page.getByLabel("Answer", { exact: true })).toContainText("six months' notice")
  },
)

test("chats are found, renamed and deleted", async ({ page, box }) => {
  await signIn(page, box)
  await createFolder(page, "Notes")
  await page.getByRole("link", { name: "Ask", exact: true }).click()
  await page.getByLabel("Message", { exact: true }).fill("Where is the green umbrella?")
  await page.keyboard.press("Enter")
  await expect(page.getByRole("heading", { name: "Where is the green umbrella?", level: 1 })).toBeVisible()

  const list = page.getByRole("navigation", { name: "Casella" })
  await page.getByLabel("Search chats").fill("umbrel")
  await expect(list.getByRole("link", { name: "Where is the green umbrella?" }).first()).toBeVisible()
  await page.getByLabel("Search chats").fill("nothing like this")
  await expect(list.getByText("No chats match")).toBeVisible()
  await page.getByLabel("Search chats").fill("")

  const actions = page.getByRole("main").getByLabel("Chat actions")
  await actions.click()
  await page.getByRole("menuitem", { name: "Rename" }).click()
  await page.getByLabel("Title").fill("Umbrella")
  await page.keyboard.press("Enter")
  await expect(page.getByRole("heading", { name: "Umbrella", level: 1 })).toBeVisible()

  await actions.click()
  await page.getByRole("menuitem", { name: "Delete" }).click()
  await expect(page.getByRole("heading", { name: "What would you like to know?" })).toBeVisible()
  await expect(list.getByRole("link", { name: "Umbrella" })).toBeHidden()
})

test("keys are shown once, listed and revoked", async ({ page, box }) => {
  await signIn(page, box)
  await page.goto(`${box.url}/#/settings/keys`)
  await page.getByRole("button", { name: "New key" }).click()
  await page.getByLabel("Name", { exact: true }).fill("Reader")
  await page.getByLabel("Limited to:").check()
  await page.getByLabel("Read everything").check()
  await page.getByRole("button", { name: "Create key" }).click()
  const key = await page.getByText(/^box_[\w-]{43}$/).textContent()
  const asKey = () =>
    page.request.get(`${box.url}/api/public/me`, { headers: { "x-api-key": key ?? "", cookie: "" } })
  expect((await asKey()).status()).toBe(200)
  await page.getByRole("button", { name: "Done" }).click()
  await page.getByRole("button", { name: "Close without copying" }).click()

  const row = page.getByRole("listitem").filter({ hasText: "Reader" })
  await expect(row).toContainText("Read everything")
  await row.getByRole("button", { name: "Revoke" }).click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click()
  await expect(row).toBeHidden()
})

test(
  "the palette opens any screen by keyboard, and unknown addresses are reported",
  { tag: "@screen/palette" },
  async ({ page, box }) => {
    await signIn(page, box)
    await page.keyboard.press("Control+k")
    await expect(page.getByRole("listbox")).toBeVisible()
    await page.keyboard.type("api k")
    await page.keyboard.press("Enter")
    await expect(page.getByRole("heading", { name: "API keys", level: 1 })).toBeVisible()

    await page.goto(`${box.url}/#/nowhere`)
    await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible()
    await page.goto(`${box.url}/settings/appearance`)
    await expect(page.getByLabel("Dark")).toBeVisible()
  },
)

test("a directory that doesn't exist is refused next to its field, and the input stays", async ({
  page,
  box,
}, info) => {
  await signIn(page, box)
  await page.goto(`${box.url}/#/dc?new`)
  await page.getByLabel("Name", { exact: true }).fill("Followed")
  const path = page.getByLabel("Folder on this computer (optional)")
  const directory = join(info.outputPath(), "followed")
  await path.fill(directory)
  await page.getByRole("button", { name: "Create folder" }).click()
  await expect(path).toHaveAttribute("aria-invalid", "true")
  await expect(page.getByText("This path doesn't exist")).toBeVisible()
  await expect(path).toHaveValue(directory)

  mkdirSync(directory)
  writeFileSync(join(directory, "note.md"), "# Note\n\nThe blue bicycle is in the cellar.\n")
  await page.getByRole("button", { name: "Create folder" }).click()
  const row = page.getByRole("row").filter({ hasText: "note.md" })
  await expect(row.getByText("Indexed", { exact: true })).toBeVisible()
  await row.getByRole("button", { name: "Actions for note.md" }).click()
  await page.getByRole("menuitem", { name: "Delete" }).click()
  await expect(page.getByRole("alertdialog")).toContainText("The file is removed from")
  await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click()
  expect(existsSync(join(directory, "note.md"))).toBe(true)
})

test("files are browsed by keyboard, explained, replaced, retried, and deleted with undo", async ({
  page,
  box,
}, info) => {
  const write = (name: string, text: string) => writeText(info, name, text)
  await signIn(page, box)
  await createFolder(page, "Cellar")
  const row = (name: string) => page.getByRole("row").filter({ hasText: name })
  // Sends one file at a time, because concurrent uploads may arrive in either order.
  const chosen = page.locator('input[aria-label="Files"]')
  await chosen.setInputFiles(write("apples.md", "# Apples\n\nIn the cellar.\n"))
  await expect(row("apples.md").getByText("Indexed", { exact: true })).toBeVisible()
  await chosen.setInputFiles(write("broken.pdf", "%PDF-1.4 broken"))
  await expect(row("broken.pdf")).toContainText("damaged")

  // The keyboard moves down to the broken file, whose details show why, then up to the other, whose text opens.
  await row("apples.md").focus()
  await page.keyboard.press("ArrowDown")
  await expect(row("broken.pdf")).toBeFocused()
  await page.keyboard.press("Enter")
  await expect(page.getByRole("dialog", { name: "broken.pdf" })).toContainText("This PDF is damaged")
  await page.keyboard.press("Escape")
  await row("broken.pdf").focus()
  await page.keyboard.press("Home")
  await page.keyboard.press("Enter")
  await expect(page.getByRole("complementary", { name: "Document" })).toContainText("In the cellar.")
  await page.keyboard.press("Escape")

  await page.getByRole("button", { name: "Retry failed file" }).click()
  await expect(page.getByText("Reading 1 file again")).toBeVisible()

  await row("apples.md").getByRole("button", { name: "Actions for apples.md" }).click()
  await page.getByRole("menuitem", { name: "Delete" }).click()
  await expect(row("apples.md")).toBeHidden()
  await page.getByRole("button", { name: "Undo", exact: true }).click()
  await expect(row("apples.md").getByText("Indexed", { exact: true })).toBeVisible()

  await row("apples.md").getByRole("button", { name: "Actions for apples.md" }).click()
  const chooser = page.waitForEvent("filechooser")
  await page.getByRole("menuitem", { name: "Replace…" }).click()
  await (await chooser).setFiles(write("pears.md", "# Pears\n\nIn the attic.\n"))
  await expect(page.getByText(/was replaced and is being indexed/)).toBeVisible()

  // Undo also restores a deleted folder with its contents, and returns a user who is still on the next screen to it.
  await page.getByRole("button", { name: "Folder actions" }).click()
  await page.getByRole("menuitem", { name: "Delete" }).click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click()
  await expect(page.getByText("Folder deleted")).toBeVisible()
  const folder = page.getByRole("main").getByRole("link", { name: /Cellar/ })
  await expect(folder).toHaveCount(0)
  await page.getByRole("button", { name: "Undo", exact: true }).click()
  await expect(row("pears.md")).toBeVisible()
})

// Catches a click on a slow computer that does nothing because the menu code isn't loaded yet.
test("a menu requested before its code has loaded opens afterwards", async ({ page, box }) => {
  const coming = Promise.withResolvers<void>()
  await page.route(/MenuPanel/, async (route) => {
    await coming.promise
    await route.continue()
  })
  await signIn(page, box)
  await createFolder(page, "Slow")
  await page.getByLabel("Folder actions").click()
  coming.resolve()
  await expect(page.getByRole("menuitem", { name: "Settings" })).toBeVisible()
})

// Catches a click that is lost because the button is replaced, when the menu code has loaded, between press and release.
test("a menu whose button is pressed while its code loads opens", async ({ page, box }) => {
  const code = await holdCode(page, /MenuPanel/)
  await signIn(page, box)
  await createFolder(page, "Pressed")
  await page.getByLabel("Folder actions").hover()
  await page.mouse.down()
  await code.release()
  await page.mouse.up()
  await expect(page.getByRole("menuitem", { name: "Settings" })).toBeVisible()
})

// Catches an Esc before a menu appears that is ignored or leaves the screen instead, and lost keyboard focus.
test("a menu cancelled before its code has loaded stays closed", async ({ page, box }) => {
  const coming = Promise.withResolvers<void>()
  await page.route(/MenuPanel|PopoverPanel/, async (route) => {
    await coming.promise
    await route.continue()
  })
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  await client.projects.create({ body: { name: "Row of its own" } })
  await signIn(page, box)
  await createFolder(page, "Given up")
  const button = page.getByLabel("Folder actions")
  const row = page.getByLabel("Actions for “Row of its own”")
  const bell = page.getByRole("button", { name: /^Inbox/ })
  for (const one of [button, row, bell]) {
    await one.focus()
    await page.keyboard.press("Enter")
    await page.keyboard.press("Escape")
  }
  coming.resolve()
  await button.click()
  await expect(page.getByRole("menu")).toHaveCount(1)
  await page.keyboard.press("Escape")
  await expect(page.getByRole("menu")).toHaveCount(0)
  await expect(page.locator("[role=dialog]")).toHaveCount(0)
  await expect(button).toBeFocused()
  await expect(page.getByRole("heading", { name: "Given up", level: 1 })).toBeVisible()
})

test("a folder gets its own icon and colour, and shows who may use it", async ({ page, box }) => {
  await signIn(page, box)
  await createFolder(page, "Law")
  await page.getByLabel("Folder actions").click()
  await page.getByRole("menuitem", { name: "Settings" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Minimum relevance (%)").fill("30")
  await expect(dialog).toContainText("Passages below 30 % relevance are excluded")
  await dialog.getByLabel("Who can use it").selectOption("TEAM")
  await expect(dialog).toContainText("Everyone in your workspaces can read")
  await dialog.getByLabel("Hidden rows, columns").selectOption("Read and mark")
  await dialog.getByLabel("Images in documents").selectOption("Recognise their text")
  await expect(dialog).toContainText("Each image takes a few seconds")
  await dialog.getByLabel("Find an icon").fill("law")
  await dialog.getByRole("radio", { name: "Law" }).check({ force: true })
  await dialog.getByRole("radio", { name: "Green" }).check({ force: true })
  await dialog.getByRole("button", { name: "Save" }).click()
  await expect(dialog).toBeHidden()

  await page.getByLabel("Folder actions").click()
  await page.getByRole("menuitem", { name: "Settings" }).click()
  await expect(dialog.getByRole("radio", { name: "Law" })).toBeChecked()
  await expect(dialog.getByRole("radio", { name: "Green" })).toBeChecked()
  await expect(dialog.getByLabel("Who can use it")).toHaveValue("TEAM")
  await expect(dialog.getByLabel("Hidden rows, columns")).toHaveValue("mark")
  await expect(dialog.getByLabel("Images in documents")).toHaveValue("text")
  await expect(dialog.getByLabel("Minimum relevance (%)")).toHaveValue("30")
})
