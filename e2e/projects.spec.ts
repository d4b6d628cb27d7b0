import type { Locator, Page } from "@playwright/test"
import { startModelServer } from "../src/box/testing/model-servers/model-server.ts"
import { createClient, type Client } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { expect, holdToasts, signIn, test } from "./page-test.ts"
import { startBox } from "./running-box.ts"

const sidebar = (page: Page) => page.getByRole("navigation", { name: "Casella" })
const getProjects = (page: Page) => sidebar(page).getByRole("region", { name: "Projects" })
const isFocused = (control: Locator): Promise<boolean> =>
  control.evaluate(
    (node: unknown) =>
      node === (globalThis as unknown as { document: { activeElement: unknown } }).document.activeElement,
  )
const getChats = (page: Page) => sidebar(page).getByRole("region", { name: "Chats", exact: true })
const longName = "Minutes of the meetings about the restoration of the western cloister, 1998 to 2026"

/** A box whose model repeats the instructions it received. */
async function startEchoBox() {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(
    await startModelServer(({ messages }) => {
      const given = messages.map(({ content }) => (typeof content === "string" ? content : "")).join("\n")
      return { text: given.includes("Call it the western one") ? "Told of the west." : "Told of nothing." }
    }),
  )
  const box = stack.use(await startBox("--model", model.baseUrl))
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  const resources = stack.move()
  return { box, client, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

async function ask(client: Client, url: string, id: string, content: string): Promise<void> {
  const body = { id, messages: [{ role: "user" as const, content }], boxAddress: url }
  for await (const event of client.chat.send({ body }))
    if (event.type === "error") throw new Error(event.error)
}

// Catches a chat that starts in a project without naming it on a narrow page.
test("a new chat in a project names the project on narrow pages too", async ({ page, box }) => {
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  const { project } = await client.projects.create({ body: { name: "Western cloister" } })
  await signIn(page, box)
  for (const width of [800, 390]) {
    await page.setViewportSize({ width, height: 700 })
    await page.goto(`${box.url}/#/?project=${project.id}`)
    const name = page.getByRole("main").getByText("Western cloister", { exact: true })
    await expect.poll(async () => (await name.boundingBox())?.width ?? 0, `${width} px`).toBeGreaterThan(40)
  }
})

// Catches projects that only scripts can create, and chats that don't get their instructions or are listed twice.
test(
  "a project is created, its chat gets its instructions and folders, and is listed under it",
  { tag: ["@screen/projects", "@screen/newProject"] },
  async ({ page }) => {
    await using served = await startEchoBox()
    const { box, client } = served
    await client.folders.create({ body: { name: "Contracts" } })
    await ask(client, box.url, "before", "An older question")
    await signIn(page, box)
    await getProjects(page).getByRole("link", { name: "New project" }).click()
    const dialog = page.getByRole("dialog", { name: "New project" })
    await expect(dialog).toContainText("groups chats about one topic")
    await dialog.getByLabel("Name").fill("Cloister")
    await dialog.getByLabel("Instructions").fill("Call it the western one.")
    await dialog.getByLabel("Contracts").check()
    await dialog.getByRole("button", { name: "Create project" }).click()
    await expect(page.getByRole("heading", { name: "Cloister", level: 1 })).toBeVisible()
    await expect(page.getByText("groups chats about one topic")).toBeVisible()
    await expectAccessible(page)

    await page.getByRole("link", { name: "New chat in this project" }).click()
    const given = page.getByTitle("Contracts (from the project “Cloister”)")
    await expect(given).toBeVisible()
    await page.getByRole("textbox", { name: "Message" }).fill("What is it called?")
    await page.keyboard.press("Enter")
    await expect(page.getByText("Told of the west.")).toBeVisible()
    const chat = getProjects(page).getByRole("link", { name: /What is it called/ })
    await expect(chat).toBeVisible()
    await expect(getChats(page).getByRole("link", { name: /What is it called/ })).toHaveCount(0)
    await expect(getChats(page).getByRole("link", { name: /An older question/ })).toBeVisible()

    await page.getByRole("button", { name: /In the project “Cloister”/ }).click()
    const has = page.getByRole("dialog", { name: /In the project/ })
    await expect(has).toContainText("Call it the western one.")
    await expect(has.getByRole("link", { name: "Contracts" })).toBeVisible()
    await page.keyboard.press("Escape")

    await getProjects(page).getByRole("button", { name: "Chats of “Cloister”" }).click()
    await expect(chat).toBeHidden()
    await page.keyboard.press("Control+k")
    await page.keyboard.type("cloist")
    await page.getByRole("option", { name: "Cloister" }).click()
    await expect(page.getByRole("heading", { name: "Cloister", level: 1 })).toBeVisible()
  },
)

// Catches a chat that can't be moved into or out of a project, and a deleted project that deletes its chats.
test("chats are moved from their menu; deleting a project keeps them and can be undone", async ({ page }) => {
  await using served = await startEchoBox()
  const { box, client } = served
  const { project } = await client.projects.create({
    body: { name: longName, instructions: "Call it the western one." },
  })
  await ask(client, box.url, "c", "Which cloister?")
  await holdToasts(page)
  await signIn(page, box)
  const inChats = getChats(page).getByRole("link", { name: /Which cloister/ })
  await expect(getProjects(page).getByRole("link", { name: longName })).toBeVisible()
  await inChats.hover()
  await getChats(page)
    .getByRole("button", { name: /^Actions for “Which cloister/ })
    .click()
  await page.getByRole("menuitem", { name: "Move to a project…" }).click()
  const dialog = page.getByRole("dialog", { name: /Move “Which cloister/ })
  await expect(dialog.getByRole("button", { name: "Move" })).toBeDisabled()
  await dialog.getByLabel(longName).check()
  await dialog.getByRole("button", { name: "Move" }).click()
  await expect(dialog).toBeHidden()
  await expect(inChats).toHaveCount(0)
  await getProjects(page).getByRole("link", { name: longName }).click()
  const main = page.getByRole("region", { name: longName, exact: true })
  await expect(main.getByRole("link", { name: /Which cloister/ })).toBeVisible()

  // Following a link doesn't lose the input.
  await main.getByLabel("Instructions").fill("Something else.")
  await sidebar(page).getByRole("link", { name: "Inbox" }).click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click()
  await expect(main.getByLabel("Instructions")).toHaveValue("Something else.")
  // Neither is what is typed while the page is saving.
  const late = Promise.withResolvers<void>()
  await page.route(`**/projects/${project.id}`, async (route) => {
    if (route.request().method() !== "GET") await late.promise
    await route.continue()
  })
  await main.getByRole("button", { name: "Save" }).click()
  await main.getByLabel("Instructions").fill("Something more.")
  late.resolve()
  const instructions = async () =>
    (await client.projects.read({ params: { id: project.id } })).project.instructions
  await expect.poll(instructions).toBe("Something else.")
  await main.getByRole("button", { name: "Save" }).click()
  await expect(main.getByText("Saved")).toBeVisible()
  await expect(main.getByLabel("Instructions")).toHaveValue("Something more.")
  expect(await instructions()).toBe("Something more.")

  await getProjects(page).getByRole("link", { name: longName }).hover()
  await getProjects(page)
    .getByRole("button", { name: `Actions for “${longName}”` })
    .click()
  await page.getByRole("menuitem", { name: "Pin" }).click()
  await expect(sidebar(page).getByRole("region", { name: "Pinned" }).getByRole("link")).toHaveText(longName)

  await page
    .getByRole("region", { name: longName, exact: true })
    .getByRole("button", { name: /Actions for “Minutes/ })
    .click()
  await page.getByRole("menuitem", { name: "Delete" }).click()
  const asked = page.getByRole("alertdialog")
  await expect(asked).toContainText("Its chat is kept")
  await asked.getByRole("button", { name: "Delete" }).click()
  await expect(inChats).toBeVisible()
  await expect(getProjects(page).getByRole("link", { name: longName })).toHaveCount(0)
  await expect(page.getByRole("heading", { name: "Projects", level: 1 })).toBeVisible()
  await page.getByRole("button", { name: "Undo", exact: true }).click()
  await expect(getProjects(page).getByRole("link", { name: longName })).toBeVisible()
  await expect(inChats).toHaveCount(0)
  // The user returns to the project they were viewing.
  await expect(page.getByRole("heading", { name: longName, level: 1 })).toBeVisible()

  await page.goto(`${box.url}/#/inter/chat/c`)
  const header = page.getByRole("banner").or(page.locator("header")).first()
  await header.getByRole("button", { name: "Chat actions" }).click()
  await page.getByRole("menuitem", { name: "Remove from project" }).click()
  await expect(inChats).toBeVisible()
})

// Catches hundreds of projects that push everything else out of view or can't be found, and any need for a mouse.
test("300 projects leave room for folders and chats, and can be found by keyboard", async ({ page }) => {
  await using served = await startEchoBox()
  const { box, client } = served
  for (let number = 0; number < 300; number++)
    await client.projects.create({ body: { name: number === 7 ? longName : `Matter ${number}` } })
  await ask(client, box.url, "c", "Which cloister?")
  await signIn(page, box)
  await expect(getProjects(page).getByRole("link", { name: /^Matter/ })).toHaveCount(3)
  await expect(sidebar(page).getByRole("region", { name: "Folders" })).toBeInViewport()
  await expect(getChats(page).getByRole("link", { name: /Which cloister/ })).toBeInViewport()
  await getProjects(page).getByRole("link", { name: "All 300 projects" }).focus()
  await page.keyboard.press("Enter")
  await page.getByRole("searchbox", { name: "Find a project" }).focus()
  await page.keyboard.type("minutes")
  const found = page.getByRole("region", { name: "Projects", exact: true }).last().getByRole("link")
  await expect(found).toHaveCount(1)
  for (let keys = 0; keys < 5 && !(await isFocused(found)); keys++) await page.keyboard.press("Tab")
  await expect(found).toBeFocused()
  await page.keyboard.press("Enter")
  await expect(page.getByRole("heading", { name: longName, level: 1 })).toBeVisible()
  await page.setViewportSize({ width: 390, height: 844 })
  await expectAccessible(page)
})

// Catches a second window that keeps showing the projects and their chats as they were when it opened.
test("another window follows changes to projects and their chats", async ({ page, context }) => {
  await using served = await startEchoBox()
  const { box, client } = served
  await ask(client, box.url, "c", "Which cloister?")
  await holdToasts(page)
  await signIn(page, box)
  const other = await context.newPage()
  await other.goto(box.url)
  const inChats = getChats(other).getByRole("link", { name: /Which cloister/ })
  await expect(inChats).toBeVisible()

  await getProjects(page).getByRole("link", { name: "New project" }).click()
  const making = page.getByRole("dialog", { name: "New project" })
  await making.getByLabel("Name").fill("Cloister")
  await making.getByRole("button", { name: "Create project" }).click()
  await getProjects(other).getByRole("link", { name: "Cloister" }).click()
  await expect(other.getByRole("heading", { name: "Cloister", level: 1 })).toBeVisible()

  await getChats(page)
    .getByRole("link", { name: /Which cloister/ })
    .hover()
  await getChats(page)
    .getByRole("button", { name: /^Actions for “Which cloister/ })
    .click()
  await page.getByRole("menuitem", { name: "Move to a project…" }).click()
  const moving = page.getByRole("dialog", { name: /Move “Which cloister/ })
  await moving.getByLabel("Cloister").check()
  await moving.getByRole("button", { name: "Move" }).click()
  const shown = other.getByRole("region", { name: "Cloister", exact: true })
  await expect(shown.getByRole("link", { name: /Which cloister/ })).toBeVisible()
  await expect(inChats).toHaveCount(0)

  // Input in that window is kept while the rest updates.
  await shown.getByLabel("Instructions").fill("Call it the western one.")
  await page
    .getByRole("region", { name: "Cloister", exact: true })
    .getByLabel("Name")
    .fill("Western cloister")
  await page.getByRole("button", { name: "Save" }).click()
  await expect(other.getByRole("heading", { name: "Western cloister", level: 1 })).toBeVisible()
  await expect(other.getByLabel("Instructions")).toHaveValue("Call it the western one.")
  await expect(getProjects(other).getByRole("link", { name: "Western cloister" })).toBeVisible()

  await page.getByRole("button", { name: "Actions for “Western cloister”" }).last().click()
  await page.getByRole("menuitem", { name: "Delete" }).click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click()
  await expect(other.getByText("This project doesn’t exist")).toBeVisible()
  await expect(inChats).toBeVisible()
  await page.getByRole("button", { name: "Undo", exact: true }).click()
  await expect(other.getByRole("heading", { name: "Western cloister", level: 1 })).toBeVisible()
})
