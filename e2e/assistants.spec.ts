import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Locator, Page } from "@playwright/test"
import { ensureTestModel } from "../src/box/engines/llama/testing/test-models.ts"
import { startModelServer } from "../src/box/testing/model-servers/model-server.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { expect, signIn, test } from "./page-test.ts"
import { startBox, type RunningBox } from "./running-box.ts"

test.use({ boxFlags: ["--model", ensureTestModel()] })

const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="

const composer = (page: Page) => page.getByLabel("Message", { exact: true })
const answers = (page: Page) => page.getByLabel("Answer", { exact: true })
const form = (page: Page) => page.locator("[data-editor]")
const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true })
const more = (page: Page) => form(page).getByRole("button", { name: "More", exact: true })
const getClient = (box: RunningBox) => createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
const row = (page: Page, name: string) =>
  page.getByRole("main").getByRole("listitem").filter({ hasText: name })

async function open(page: Page, box: RunningBox, path: string): Promise<void> {
  await page.goto(`${box.url}/#${path}`)
}

test(
  "an assistant is created with all its fields, and a reload loses nothing typed",
  { tag: ["@screen/assistants", "@screen/newAssistant"] },
  async ({ page, box }) => {
    await getClient(box).folders.create({ body: { name: "Contracts" } })
    await signIn(page, box)
    await page.getByRole("link", { name: "Assistants" }).click()
    await page.getByRole("link", { name: /^Writing editor/ }).click()
    await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Writing editor")
    await page.getByLabel("Name", { exact: true }).fill("Contract reader")
    await more(page).click()
    await expect(form(page)).toContainText("Leave empty to use @contractreader.")
    await page.getByLabel("Handle").fill("Contracts!")
    await expect(form(page)).toContainText("Use lowercase letters and digits only.")
    await page.getByLabel("Handle").fill("contracts")
    await expect(form(page)).toContainText("@contracts is available.")
    await page.getByLabel("Description").fill("Reads contracts")
    await page.getByLabel("Instructions").fill("Be brief.")
    await expect(form(page)).toContainText("9 of 100,000 characters")
    await page.getByRole("button", { name: "Choose icon" }).click()
    await page.getByRole("searchbox", { name: "Search icons (in English)" }).fill("scale 3d")
    await page.getByRole("button", { name: "Scale3d" }).click()
    await page.getByLabel("Hex code").fill("#123456")

    await page.reload()
    await expect(page.getByText("were restored")).toBeVisible()
    await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Contract reader")
    await expect(page.getByLabel("Hex code")).toHaveValue("#123456")

    await page.getByLabel("Label of question 1").fill("Second")
    await page.getByLabel("Text of question 1").fill("Ask second")
    await page.getByLabel("Label of question 2").fill("First")
    await page.getByLabel("Text of question 2").fill("Ask first")
    await page.getByRole("button", { name: "Move question 2 up" }).click()
    await page.getByRole("button", { name: "Add a question" }).click()
    await page.getByLabel("Label of question 3").fill("Third")
    const handles = page.getByTitle("Drag to move")
    await handles.nth(2).dragTo(handles.nth(1))
    await expect(page.getByLabel("Label of question 2")).toHaveValue("Third")
    await page.getByLabel("Image", { exact: true }).setInputFiles({
      name: "picture.svg",
      mimeType: "image/svg+xml",
      buffer: Buffer.from("not a picture"),
    })
    await expect(page.getByText("This image can’t be read")).toBeVisible()
    await page
      .getByLabel("Image", { exact: true })
      .setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: Buffer.from(dot, "base64") })
    await expect(page.getByRole("button", { name: "Remove image" })).toBeVisible()
    await page.getByRole("checkbox", { name: /^Contracts/ }).check()
    await page.getByRole("checkbox", { name: "Calculator" }).check()
    await page.getByRole("button", { name: "14 services aren’t connected yet" }).click()
    await page.getByRole("checkbox", { name: "Gmail" }).check()
    await page.getByRole("radio", { name: "Never" }).check()
    await expect(form(page)).toContainText("could trick it into using its tools")
    await page.getByRole("radio", { name: "Before every tool" }).check()
    await page.getByRole("radio", { name: "My workspace" }).check()
    await expect(form(page)).toContainText("People who use it get answers from the documents in its folder")
    await page.getByRole("switch", { name: "Enabled" }).click()
    await page.keyboard.press("Control+s")
    await expect(page).toHaveURL(/#\/assistants\/[0-9a-f-]{36}$/)

    const { assistants } = await getClient(box).assistants.list({ query: { search: "Contract reader" } })
    const { assistant } = await getClient(box).assistants.read({ params: { id: assistants[0]?.id ?? "" } })
    expect(assistant).toMatchObject({
      name: "Contract reader",
      handle: "contracts",
      description: "Reads contracts",
      instructions: "Be brief.",
      icon: "Scale3d",
      color: "#123456",
      suggestions: [
        { label: "First", prompt: "Ask first" },
        { label: "Third", prompt: "Third" },
        { label: "Second", prompt: "Ask second" },
      ],
      customImage: expect.stringMatching(/^data:image\/webp;base64,/),
      vectors: [{ name: "Contracts" }],
      builtInTools: { calculate: true, int_gmail: true },
      permissionMode: "ask",
      visibility: "TEAM",
      enabled: false,
    })
    await expect(save(page)).toBeDisabled()
    await page.reload()
    await expect(page.getByLabel("Handle")).toHaveValue("contracts")
    await expect(page.getByText("were restored")).toBeHidden()
  },
)

test("a handle in use is reported immediately and refused in its field; leaving asks first", async ({
  page,
  box,
}) => {
  const { assistant } = await getClient(box).assistants.create({ body: { name: "Taken One" } })
  await signIn(page, box)
  await open(page, box, "/assistants/new")
  await page.getByRole("button", { name: "Create" }).click()
  await expect(page.getByText("Enter a name.")).toBeVisible()
  await page.getByLabel("Name", { exact: true }).fill("Another one")
  await more(page).click()
  await page.getByLabel("Handle").fill("takenone")
  await expect(form(page).getByText("This handle is taken.").first()).toBeVisible()
  await page.getByRole("button", { name: "Create" }).click()
  await expect(page.getByLabel("Handle")).toHaveAttribute("aria-invalid", "true")
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Another one")

  const sidebar = page.getByRole("navigation", { name: "Casella" })
  await sidebar.getByRole("link", { name: "New chat" }).click()
  await expect(page.getByRole("dialog", { name: "Save your changes?" })).toBeVisible()
  await page.keyboard.press("Escape")
  await expect(page).toHaveURL(/\/assistants\/new$/)
  await page.getByRole("button", { name: "Use @takenone2" }).click()
  await sidebar.getByRole("link", { name: "New chat" }).click()
  await page.getByRole("button", { name: "Keep draft" }).click()
  await expect(composer(page)).toBeVisible()
  await open(page, box, "/assistants/new")
  await expect(page.getByLabel("Handle")).toHaveValue("takenone2")
  await sidebar.getByRole("link", { name: "New chat" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click()
  await expect(composer(page)).toBeVisible()

  await open(page, box, `/assistants/${assistant.id}`)
  await page.getByLabel("Description").pressSequentially("Not wanted")
  await page.evaluate(() => (globalThis as unknown as { history: { back(): void } }).history.back())
  await page.getByRole("button", { name: "Discard", exact: true }).click()
  await open(page, box, "/assistants")
  await expect(row(page, "Another one")).toContainText("@takenone2")
  await expect(row(page, "Taken One")).not.toContainText("Not wanted")
})

// Catches an editor that users must scroll to see an assistant's sources.
test("name, instructions, folders, tools and the preview share one screen; the rest is under More, whose state is remembered", async ({
  page,
  box,
}) => {
  const client = getClient(box)
  const { vector } = await client.folders.create({ body: { name: "In view" } })
  const { assistant } = await client.assistants.create({
    body: {
      name: "One screen",
      vectorIds: [vector.id],
      visibility: "TEAM",
      builtInTools: { int_slack: true },
    },
  })
  await signIn(page, box)
  await open(page, box, `/assistants/${assistant.id}`)
  for (const shown of [
    page.getByLabel("Name", { exact: true }),
    page.getByLabel("Instructions"),
    page.getByRole("checkbox", { name: /^In view/ }),
    page.getByRole("checkbox", { name: "Calculator" }),
    page.getByLabel("Test question"),
  ])
    await expect(shown).toBeInViewport({ ratio: 1 })
  await expect(page.getByLabel("Handle")).toBeHidden()
  await expect(form(page)).toContainText("@onescreen · My workspace · asks before making changes")
  await expect(form(page)).toContainText(
    "People you share this assistant with get answers from these documents",
  )

  // A ticked option isn't folded away, and doesn't move when it is unticked.
  await page.getByRole("checkbox", { name: "Slack" }).uncheck()
  await expect(page.getByRole("checkbox", { name: "Slack" })).toBeVisible()
  await expect(page.getByRole("checkbox", { name: "Gmail" })).toBeHidden()
  const unlinked = page.getByRole("button", { name: "13 services aren’t connected yet" })
  await unlinked.click()
  await expect(page.getByRole("checkbox", { name: "Gmail" })).toBeVisible()
  await page.getByRole("checkbox", { name: "Slack" }).check()

  await more(page).click()
  await page.reload()
  await expect(page.getByLabel("Handle")).toHaveValue("onescreen")
  await expect(unlinked).toHaveAttribute("aria-expanded", "false")
  await more(page).click()
  await page.reload()
  await expect(more(page)).toHaveAttribute("aria-expanded", "false")
})

// Catches an error that is hidden because its field is folded away or behind the preview, and text that is cut off.
for (const viewport of [
  { width: 800, height: 600 },
  { width: 390, height: 844 },
])
  test(`at ${viewport.width} pixels the preview is a switch away, and a refused field is shown as it was typed`, async ({
    page,
    box,
  }) => {
    await page.setViewportSize(viewport)
    const name = `Taken ${viewport.width}`
    await getClient(box).assistants.create({ body: { name } })
    const { assistant } = await getClient(box).assistants.create({ body: { name: "Narrow" } })
    await signIn(page, box)
    await open(page, box, `/assistants/${assistant.id}`)
    const within = page.getByRole("group", { name: "Editor or preview" })
    const trying = within.getByRole("button", { name: "Preview" })
    await more(page).click()
    const taken = `taken${viewport.width}`
    await page.getByLabel("Handle").fill(taken)
    await expect(page.getByText("This handle is taken.").first()).toBeVisible()
    await more(page).click()
    await expect(page.getByLabel("Handle")).toBeHidden()
    await trying.click()
    await expect(page.getByLabel("Test question")).toBeInViewport({ ratio: 1 })
    await expect(page.getByLabel("Instructions")).toBeHidden()
    await page.keyboard.press("Control+s")
    await expect(page.getByLabel("Handle")).toBeFocused()
    await expect(page.getByLabel("Handle")).toBeInViewport({ ratio: 1 })
    await expect(page.getByLabel("Handle")).toHaveValue(taken)
    await page.getByRole("button", { name: /^Use @/ }).click()
    const long = "So much. ".repeat(11_112)
    await page.getByLabel("Instructions").fill(long)
    await save(page).click()
    await expect(form(page)).toContainText("8 characters too many. The maximum is 100,000.")
    await expect(page.getByLabel("Instructions")).toBeFocused()
    await expect(page.getByLabel("Instructions")).toHaveValue(long)
    await page.getByLabel("Instructions").fill("Less.")
    await page.getByLabel("Hex code").fill("#12345")
    await expect(form(page)).toContainText("Enter # and six characters")
    await page.getByLabel("Hex code").fill("#123456")
    await save(page).click()
    await trying.click()
    await expect(page.getByText("This chat is deleted when you close the preview.")).toBeVisible()
    await page.reload()
    await expect(more(page)).toHaveAttribute("aria-expanded", "false") // it had opened automatically
    const width = await page.evaluate<number>("document.documentElement.scrollWidth")
    expect(width).toBeLessThanOrEqual(viewport.width)
  })

// Catches a part of the editor that only a pointer can reach.
test("an assistant is created and tried with the keyboard alone", async ({ page, box }) => {
  await getClient(box).folders.create({ body: { name: "By keys" } })
  await signIn(page, box)
  await open(page, box, "/assistants/new")
  await page.getByLabel("Name", { exact: true }).waitFor()
  const tabTo = async (target: Locator) => {
    // Also passes the folders of earlier tests.
    for (let keys = 0; keys < 200; keys++) {
      if ((await target.and(page.locator(":focus")).count()) > 0) return
      await page.keyboard.press("Tab")
    }
    throw new Error("Tab doesn't lead there.")
  }
  await tabTo(page.getByLabel("Name", { exact: true }))
  await page.keyboard.type("Keyed")
  await page.keyboard.press("Tab")
  await page.keyboard.type("Be brief.")
  await tabTo(page.getByRole("checkbox", { name: /^By keys/ }))
  await page.keyboard.press("Space")
  await tabTo(page.getByRole("checkbox", { name: "Calculator" }))
  await page.keyboard.press("Space")
  const unlinked = page.getByRole("button", { name: /services aren’t connected yet/ })
  await tabTo(unlinked)
  await page.keyboard.press("Enter")
  await tabTo(page.getByRole("checkbox", { name: "Gmail" }))
  await page.keyboard.press("Space")
  await tabTo(more(page))
  await page.keyboard.press("Enter")
  await page.keyboard.press("Tab")
  await expect(page.getByLabel("Handle")).toBeFocused()
  await page.keyboard.type("Not one!")
  await page.keyboard.press("Control+s")
  await expect(page.getByLabel("Handle")).toBeFocused()
  await expect(form(page)).toContainText("Use lowercase letters and digits only.")
  await page.keyboard.press("Control+a")
  await page.keyboard.type("keyed")
  await page.keyboard.press("Control+s")
  await expect(page).toHaveURL(/#\/assistants\/[0-9a-f-]{36}$/)
  await tabTo(page.getByLabel("Test question"))
  await page.keyboard.type("Greet me.")
  await page.keyboard.press("Enter")
  await expect(answers(page)).toContainText("Hello from the scripted model.")
  const { assistants } = await getClient(box).assistants.list({ query: { search: "Keyed" } })
  const { assistant } = await getClient(box).assistants.read({ params: { id: assistants[0]?.id ?? "" } })
  expect(assistant).toMatchObject({
    handle: "keyed",
    instructions: "Be brief.",
    vectors: [{ name: "By keys" }],
    builtInTools: { calculate: true, int_gmail: true },
  })
})

// Catches a web image that isn't shown, or that the page loads directly from the web.
test("a web image is shown from the box's copy in lists, the editor and the chat", async ({ page, box }) => {
  const customImage = "https://pictures.example/dog.png"
  const copies = join(box.dataDir, "avatars")
  mkdirSync(copies, { recursive: true })
  const bytes = readFileSync(join(import.meta.dirname, "../build/icons/linux/128x128.png"))
  writeFileSync(join(copies, createHash("sha256").update(customImage).digest("hex")), bytes)
  const foreign: string[] = []
  page.on("request", (request) => {
    const url = request.url()
    if (!/^(data|blob):/.test(url) && new URL(url).origin !== box.url) foreign.push(url)
  })
  const { assistant } = await getClient(box).assistants.create({ body: { name: "Pictured", customImage } })
  await signIn(page, box)
  const expectPicture = async (within: Locator) =>
    expect(async () => {
      const width = (image: object) => Number(Reflect.get(image, "naturalWidth"))
      expect(
        await within.locator("img").first().evaluate(width, undefined, { timeout: 1_000 }),
      ).toBeGreaterThan(1)
    }).toPass()
  await open(page, box, "/assistants")
  await expectPicture(row(page, "Pictured"))
  await open(page, box, `/assistants/${assistant.id}`)
  await more(page).click()
  await page.getByLabel("Description").scrollIntoViewIfNeeded() // images are fetched only when they are in view
  await expectPicture(form(page))
  await open(page, box, "/")
  await composer(page).fill("@pic")
  await expectPicture(page.getByRole("option", { name: /Pictured/ }))
  expect(foreign).toEqual([])
})

test("assistants are copied, disabled, deleted and restored", async ({ page, box }) => {
  const body = {
    name: "Original",
    instructions: "Be kind.",
    customImage: "data:image/png;base64,AAAA", // not an image
    suggestions: [{ label: "Hi", prompt: "Hi" }],
  }
  await getClient(box).assistants.create({ body })
  await signIn(page, box)
  await open(page, box, "/assistants")
  await page.getByRole("button", { name: "Actions for Original" }).click()
  await expect(page.getByRole("listitem").filter({ hasText: "Original" }).locator("img")).toHaveCount(0)
  await page.getByRole("menuitem", { name: "Duplicate" }).click()
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Original (copy)")
  await expect(page.getByLabel("Instructions")).toHaveValue("Be kind.")

  await open(page, box, "/assistants")
  await page.getByRole("button", { name: "Actions for Original (copy)" }).click()
  const saving = page.waitForEvent("download")
  await page.getByRole("menuitem", { name: "Export to file" }).click()
  const saved = await saving
  expect(saved.suggestedFilename()).toBe("originalcopy.json")
  const taken = { name: "Taken along.json", mimeType: "application/json" }
  const text = readFileSync(await saved.path(), "utf8").replace("Original (copy)", "From afar")
  await page.getByLabel("Choose an assistant file").setInputFiles({ ...taken, buffer: Buffer.from("{}") })
  await expect(page.getByText("This isn’t an assistant file.")).toBeVisible()
  await page.getByLabel("Choose an assistant file").setInputFiles({ ...taken, buffer: Buffer.from(text) })
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("From afar")
  await expect(page.getByLabel("Instructions")).toHaveValue("Be kind.")

  await open(page, box, "/assistants")
  await page.getByRole("searchbox", { name: "Find an assistant" }).fill("copy")
  await expect(page.getByRole("switch")).toHaveCount(1)
  await page.getByRole("switch", { name: "Original (copy) is on" }).click()
  await expect(page.getByRole("link", { name: "Chat with Original (copy)" })).toBeHidden()

  await page.getByRole("button", { name: "Actions for Original (copy)" }).click()
  await page.getByRole("menuitem", { name: "Delete" }).click()
  await expect(page.getByRole("switch")).toHaveCount(0)
  await page.getByRole("button", { name: "Undo", exact: true }).click()
  await page.getByRole("button", { name: "Actions for Original (copy)" }).click()
  await page.getByRole("menuitem", { name: "Delete" }).click()
  await expect
    .poll(async () => (await getClient(box).assistants.list({ query: { search: "copy" } })).pagination.total)
    .toBe(0)
})

test("another user can use a shared assistant but can't change it", async ({ page, box }) => {
  const owner = getClient(box)
  const { vector } = await owner.folders.create({ body: { name: "Private papers" } })
  const draft = {
    name: "Shared helper",
    instructions: "Help.",
    visibility: "TEAM" as const,
    vectorIds: [vector.id],
  }
  const { assistant } = await owner.assistants.create({ body: draft })
  const { links } = await owner.people.add({ body: { name: "Ann Example", email: "ann.shared@example.com" } })
  await page.goto(links.local)
  await expect(page.getByRole("heading", { name: "Ask your documents" })).toBeVisible()
  await open(page, box, "/assistants")
  const shared = page.getByRole("region", { name: "Shared with you" })
  await expect(shared.getByRole("listitem").filter({ hasText: "Shared helper" })).toContainText("Shared by")
  await expect(shared.getByRole("switch")).toHaveCount(0)
  await shared
    .getByRole("link", { name: /Shared helper/ })
    .first()
    .click()
  await expect(page.getByText("but not change it.")).toBeVisible()
  await expect(page.getByRole("main")).toContainText("Private papers")
  await expect(page.getByLabel("Name", { exact: true })).toHaveCount(0)
  await page.getByRole("link", { name: "Chat", exact: true }).click()
  await composer(page).fill("Greet me.")
  await page.keyboard.press("Enter")
  await expect(answers(page)).toContainText("Hello from the scripted model.")
  await expect(page.getByRole("log")).toContainText("Shared helper")

  await open(page, box, `/assistants/${assistant.id}`)
  await page.getByRole("button", { name: "Actions for Shared helper" }).click()
  await page.getByRole("menuitem", { name: "Duplicate" }).click()
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Shared helper (copy)")
  await expect(page.getByText("Copied without the folders")).toBeVisible()
})

// Catches an error with a prompt to report it when a user follows a citation of a shared assistant.
test("a shared assistant's citation from a folder that isn't shared shows its passage", async ({ page }) => {
  await using model = await startModelServer(() => ({ text: "In the harbour [1]." }))
  await using box = await startBox("--model", model.baseUrl)
  const owner = getClient(box)
  const { vector } = await owner.folders.create({ body: { name: "Private papers" } })
  const form = new FormData()
  form.append("file", new Blob(["The walrus sleeps in the harbour."]), "walrus.md")
  const address = `${box.url}/api/public/vectors/${vector.id}/files`
  await fetch(address, { method: "POST", headers: { "x-api-key": box.key }, body: form })
  const indexed = async () => (await owner.files.list({ params: { id: vector.id } })).files[0]?.status
  await expect.poll(indexed).toBe("completed")
  const draft = { name: "Guide", visibility: "TEAM" as const, vectorIds: [vector.id] }
  const { assistant } = await owner.assistants.create({ body: draft })
  const { links } = await owner.people.add({ body: { name: "Ann Example", email: "ann.cited@example.com" } })
  await page.goto(links.local)
  await expect(page.getByRole("heading", { name: "Ask your documents" })).toBeVisible()
  await open(page, box, `/?assistant=${assistant.id}`)
  await composer(page).fill("Where does the walrus sleep?")
  await page.keyboard.press("Enter")
  await answers(page).getByRole("button", { name: "Source 1: walrus.md" }).click()
  const panel = page.getByRole("complementary", { name: "Document" })
  await expect(panel.getByRole("note")).toHaveText(/^This folder isn’t shared with you/)
  await expect(panel).toContainText("The walrus sleeps in the harbour.")
  await expect(panel.getByRole("alert")).toHaveCount(0)
  await expect(panel.getByRole("button", { name: "Download file" })).toHaveCount(0)
})

test("an assistant is mentioned, answers, is remembered, and is reported when it is disabled", async ({
  page,
  box,
}) => {
  const { assistant } = await getClient(box).assistants.create({
    body: { name: "Greeter", suggestions: [{ label: "A greeting", prompt: "Greet me warmly." }] },
  })
  await signIn(page, box)
  await composer(page).pressSequentially("@gre")
  await expect(page.getByRole("option", { name: /greeter/ })).toHaveAttribute("aria-selected", "true")
  await page.keyboard.press("Enter")
  await expect(composer(page)).toHaveValue("@greeter ")
  await page.getByRole("button", { name: "A greeting" }).click()
  await expect(composer(page)).toHaveValue("Greet me warmly.")
  await expect(composer(page)).toBeFocused()
  await page.keyboard.press("Enter")
  await expect(answers(page)).toContainText("Hello from the scripted model.")
  const transcript = page.getByRole("log", { name: "Chat" })
  await expect(transcript.getByText("Greeter", { exact: true })).toHaveCount(1)

  await page.reload()
  await expect(page.getByRole("button", { name: "Greeter answers" })).toBeVisible()
  await page.getByRole("button", { name: "Remove Greeter" }).click()
  await composer(page).fill("Greet me.")
  await page.keyboard.press("Enter")
  await expect(answers(page)).toHaveCount(2)
  await expect(transcript.getByText("Greeter", { exact: true })).toHaveCount(1)

  await getClient(box).assistants.update({ params: { id: assistant.id }, body: { enabled: false } })
  await composer(page).fill("@greeter, greet me again.")
  await page.keyboard.press("Enter")
  await expect(page.getByText("Greeter is turned off.")).toBeVisible()
  await page.getByRole("button", { name: "Ask without an assistant" }).click()
  await expect(answers(page)).toHaveCount(3)
})

test("an assistant is tried next to its form, in a chat that leaves no trace", async ({ page, box }) => {
  const { assistant } = await getClient(box).assistants.create({ body: { name: "Tried" } })
  const before = (await getClient(box).conversations.list()).pagination.total
  await signIn(page, box)
  await open(page, box, `/assistants/${assistant.id}`)
  await more(page).click()
  await page.getByLabel("Description").fill("Newer")
  await expect(page.getByText("You’re trying the last saved version.")).toBeVisible()
  await page.getByRole("button", { name: "Save and try" }).click()
  await expect(page.getByText("This chat is deleted when you close the preview.")).toBeVisible()
  await page.getByLabel("Test question").fill("Greet me in private.")
  await page.keyboard.press("Enter")
  await expect(answers(page)).toContainText("Hello from the scripted model.")
  await expect(page.getByRole("navigation", { name: "Casella" })).not.toContainText("Greet me in private.")
  await page.getByRole("button", { name: "Hide the preview" }).click()
  await expect.poll(async () => (await getClient(box).conversations.list()).pagination.total).toBe(before)
  const { notifications } = await getClient(box).notifications.list()
  expect(notifications.map(({ description }) => description)).not.toContain("Greet me in private.")
})

for (const colorScheme of ["light", "dark"] as const) {
  test(`list, editor and chat have no serious fault in ${colorScheme}`, async ({ page, box }) => {
    const { assistant } = await getClient(box).assistants.create({
      body: {
        name: `Seen in ${colorScheme}`,
        icon: "Scale",
        color: "#D9692B",
        permissionMode: "bypass",
        suggestions: [{ label: "One", prompt: "One" }],
      },
    })
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
    await signIn(page, box)
    const check = () => expectAccessible(page)
    await open(page, box, "/assistants")
    await expect(row(page, `Seen in ${colorScheme}`)).toBeVisible()
    await check()
    await open(page, box, "/assistants/new")
    await expect(page.getByLabel("Name", { exact: true })).toBeVisible()
    await check()
    await open(page, box, `/assistants/${assistant.id}`)
    await expect(page.getByRole("checkbox", { name: "Calculator" })).toBeVisible()
    await check()
    await more(page).click()
    await page.getByRole("button", { name: "14 services aren’t connected yet" }).click()
    await expect(form(page).getByLabel("Handle")).toBeVisible()
    await check()
    await open(page, box, `/?assistant=${assistant.id}`)
    await page.getByRole("button", { name: /^Seen in .* answers$/ }).click()
    await expect(page.getByRole("list", { name: "Assistants" })).toBeVisible()
    await check()
  })
}

// Catches an assistant's model that isn't saved, isn't used or disappears without notice, and passages sent to it without notice.
test("an assistant answers with its own model, and reports when that is removed", async ({ page }) => {
  await using remote = await startModelServer(() => ({ text: "I am far away." }))
  await using own = await startBox("--model", ensureTestModel())
  const client = getClient(own)
  const { server } = await client.modelServers.add({ body: { name: "Far away", url: remote.baseUrl } })
  const { vector } = await client.folders.create({ body: { name: "Handbook" } })
  const { assistant } = await client.assistants.create({ body: { name: "Traveller" } })
  await signIn(page, own)
  await open(page, own, `/assistants/${assistant.id}`)
  await more(page).click()
  const model = form(page).getByLabel("Answers with")
  await model.selectOption("canned")
  await expect(form(page)).toContainText("are sent to Far away")
  await save(page).click()
  await expect(page.getByText("Saved", { exact: true })).toBeVisible()
  await page.reload()
  await expect(model).toHaveValue(`srv_${server.id}/canned`)

  await open(page, own, `/?folder=${vector.id}&assistant=${assistant.id}`)
  await expect(page.getByText(/^Passages from Handbook will be sent to 127/)).toBeVisible()
  await composer(page).fill("Where are you?")
  await page.keyboard.press("Enter")
  await expect(answers(page)).toContainText("I am far away.")

  await client.modelServers.remove({ params: { serverId: server.id } })
  await open(page, own, `/assistants/${assistant.id}`)
  await expect(form(page)).toContainText("canned is no longer available.")
  await expectAccessible(page)
  await model.selectOption("Default chat model")
  await save(page).click()
  await expect
    .poll(async () => (await client.assistants.read({ params: { id: assistant.id } })).assistant.modelId)
    .toBeNull()
})
