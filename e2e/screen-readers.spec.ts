import type { Page } from "@playwright/test"
import {
  addPictureContent,
  pictureReply,
  writtenWords,
  type PictureContent,
} from "../scripts/screenshot-content.ts"
import { ensureTestModel } from "../src/box/engines/llama/testing/test-models.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { languageCodes, type Language } from "../src/shared/languages.ts"
import { startModelServer } from "../src/box/testing/model-servers/model-server.ts"
import { folderTabs, routes } from "../src/renderer/lib/navigation/routes.ts"
import { workRoutes } from "../src/renderer/lib/navigation/work-routes.ts"
import { ariaFaults, words, type AriaNode } from "./aria-faults.ts"
import { expect, goToScreen, signIn, test as onSharedBox } from "./page-test.ts"
import { isKey, isLeftInEnglish, say } from "./page-strings.ts"
import { startBox, type RunningBox } from "./running-box.ts"

type Content = PictureContent & { automationId: string }

/** A box whose content no other journey changes. */
const test = onSharedBox.extend<object, { filled: RunningBox & { content: Content } }>({
  filled: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright wants a pattern
    async ({}, use) => {
      await using box = await startBox("--model", ensureTestModel({ reply: pictureReply }))
      const content = await addPictureContent(box.url, box.key)
      await use({ ...box, content: { ...content, automationId: await addAutomation(box, content) } })
    },
    { scope: "worker", timeout: 120_000 },
  ],
})

/** An automation for a folder's files, which has run once. */
async function addAutomation({ url, key }: RunningBox, { folderId }: PictureContent): Promise<string> {
  const { automations } = createClient({ baseUrl: url, headers: { "x-api-key": key } })
  const trigger = { kind: "file" as const, vectorId: folderId, match: "*.pdf" }
  const { automation } = await automations.create({ body: { name: "Casella", prompt: "25 days", trigger } })
  await automations.run({ params: { id: automation.id } })
  return automation.id
}

interface Screen {
  name: string
  route: string
  /** Opens something that has no address, after the route is shown. */
  open?: (page: Page) => Promise<unknown>
}

/** Every screen, and everything that opens over them. */
function getScreens(content: Content, key: (name: string) => string): Screen[] {
  const { folderId, fileId, chatId, assistantId, automationId } = content
  const plain = Object.values(routes).filter((route) => typeof route === "string")
  const chat = routes.chat(chatId)
  const folder = routes.folder(folderId)
  const press = (keys: string) => async (page: Page) => {
    await page.locator("body").press(keys)
    await page.locator("[role=dialog], [role=listbox]").first().waitFor()
  }
  const click = (button: string) => (page: Page) =>
    page.getByRole("button", { name: button, exact: true }).first().click()
  return [
    ...plain.map((route) => ({ name: route, route })),
    { name: "a chat", route: chat },
    { name: "a new chat about a folder", route: routes.newChatIn(folderId) },
    { name: "a new chat with an assistant", route: routes.newChatWith(assistantId) },
    ...folderTabs.map((tab) => ({ name: `a folder's ${tab}`, route: routes.folderTab(folderId, tab) })),
    { name: "a file", route: routes.file(folderId, fileId) },
    {
      name: "an assistant",
      route: routes.assistant(assistantId),
      async open(page) {
        await click(key("assistants:more.title"))(page)
        await page.getByRole("button", { name: /^14 / }).click()
      },
    },
    { name: "an assistant that is gone", route: routes.assistant("0190a0a0-0000-7000-8000-000000000000") },
    { name: "an automation", route: workRoutes.one(automationId) },
    { name: "an automation's editor", route: workRoutes.editor(automationId) },
    {
      name: "an automation's trial",
      route: workRoutes.one(automationId),
      async open(page) {
        await click(key("automations:try.open"))(page)
        await page.getByRole("dialog").waitFor()
      },
    },
    { name: "nowhere", route: "/nowhere" },
    {
      name: "a citation",
      route: chat,
      async open(page) {
        await page.locator("article button", { hasText: /^1$/ }).first().click()
        await page.locator("mark").first().waitFor()
      },
    },
    { name: "the palette", route: chat, open: press("Control+k") },
    { name: "the bell", route: folder, open: press("Control+i") },
    { name: "the shortcuts", route: folder, open: press("?") },
    {
      name: "why an answer is as it is",
      route: chat,
      open: click(key("chat:why.open")),
    },
    {
      name: "a chat's menu",
      route: chat,
      async open(page) {
        await page.getByRole("main").getByLabel(key("conversations:actions")).click()
        await page.getByRole("menu").waitFor()
      },
    },
    {
      name: "a folder's settings",
      route: folder,
      async open(page) {
        await page.getByRole("main").getByLabel(key("folders:menu.label")).click()
        await page.getByRole("menuitem", { name: key("folders:settings.open") }).click()
        await page.getByRole("dialog").waitFor()
      },
    },
    {
      name: "ticked files",
      route: folder,
      open: (page) => page.getByRole("row").getByRole("checkbox").nth(1).check(),
    },
  ]
}

async function getFaults(page: Page, language: Language): Promise<string[]> {
  const modal = (await page.locator("[data-modal], [role=menu]").count()) > 0
  const tree = (await page.ariaSnapshotJSON()) as unknown as AriaNode[]
  const spoken = words(tree)
  return [
    ...ariaFaults(tree, modal),
    ...(await page.evaluate<string[]>(liveFaults)),
    ...spoken.filter(isKey).map((text) => `a key: ${text}`),
    ...(language === "en" ? [] : spoken.filter((text) => isLeftInEnglish(language, text)))
      .filter((text) => !writtenWords.has(text.toLowerCase())) // for example, a folder's topics
      .map((text) => `English: ${text}`),
  ]
}

/** Runs in the page: faults in how content is announced. */
const liveFaults = `(() => {
  const heard = (element) => element.checkVisibility() && !element.closest("[aria-hidden=true], [inert]")
  const regions = [...document.querySelectorAll("[aria-live], [role=status], [role=alert], [role=log], output")]
  const politeness = (element) =>
    element.getAttribute("aria-live") ?? (element.getAttribute("role") === "alert" ? "assertive" : "polite")
  const faults = regions
    .filter((element) => politeness(element) === "assertive" && element.getAttribute("role") !== "alert")
    .map((element) => "interrupts without being an alert: " + element.outerHTML.slice(0, 120))
  const toasts = document.querySelector("[data-toasts]")
  if (toasts && politeness(toasts) !== "polite") faults.push("toasts aren't announced politely")
  for (const inner of regions.filter(heard)) {
    const outer = inner.parentElement.closest("[aria-live]:not([aria-live=off]), [role=status], [role=alert], [role=log]:not([aria-live=off]), output")
    const said = politeness(inner)
    if (outer && heard(outer) && said !== "off" && said !== "assertive")
      faults.push("is announced twice: " + inner.outerHTML.slice(0, 120) + " in " + outer.outerHTML.slice(0, 80))
  }
  return faults
})()`

/** Reports faults that remain after the screen has loaded, and doesn't end the journey, so that the other screens are checked too. */
async function expectFaultless(page: Page, language: Language, screen: string): Promise<void> {
  await page.evaluate(`new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))`)
  await expect
    .configure({ soft: true })
    .poll(() => getFaults(page, language), screen)
    .toEqual([])
}

// Catches rules that find nothing.
test("the rules find the faults they are for", async ({ page }) => {
  await page.setContent(`
    <main><h1>One</h1><h3>Far below</h3><h1>Two</h1><button></button><img src="data:,"><input>
      <ul><li><button>Delete</button></li><li><button>Delete</button></li></ul>
      <ul><li><a href="/a">Same</a></li><li><a href="/a">Same</a></li></ul>
      <table><tbody><tr><td>1</td></tr></tbody></table>
      <div role="status">Said <span role="status">twice</span></div><p aria-live="assertive">Now!</p>
      <p>chat:conversation</p><button>Hide the sidebar</button><p>Find <mark>Delete</mark></p></main>
    <div role="dialog"><h2>Asked</h2></div>`)
  expect((await getFaults(page, "it")).map((fault) => fault.split(/[<“:]/)[0]?.trim())).toEqual([
    "2 first headings",
    "a button without a name in main",
    "a img without a name in main",
    "a textbox without a name in main",
    "a dialog without a name in",
    "heading",
    "two of button",
    "table",
    "interrupts without being an alert",
    "is announced twice",
    "a key",
    "English",
    "English",
    "English",
  ])
})

for (const language of languageCodes)
  // Catches a control without a name, two controls with the same name, gaps in headings, and a key, or an English word on a translated page.
  test(`every screen can be told apart by ear, in ${language}`, async ({ page, filled }) => {
    test.slow()
    await page.addInitScript(`if (origin !== "null") localStorage.setItem("language", "${language}")`)
    page.setDefaultTimeout(10_000)
    await page.emulateMedia({ reducedMotion: "reduce" })
    const check = (screen: string) => expectFaultless(page, language, screen)
    await using fresh = await startBox()
    await page.goto(await fresh.signInLink())
    await page.getByRole("heading", { name: say(language, "first-run:title"), level: 1 }).waitFor()
    await check("the first run")
    await page.context().clearCookies()
    await page.goto(filled.url)
    await page.getByRole("heading", { level: 1 }).waitFor()
    await check("signed out")
    await page.goto("about:blank") // the link may differ only after the #
    await page.goto(await filled.signInLink())
    await expect(page).toHaveURL(`${filled.url}/#/`)
    const loading = page.getByRole("status").filter({ hasText: say(language, "common:loading") })
    for (const { name, route, open } of getScreens(filled.content, (key) => say(language, key))) {
      await goToScreen(page, filled, route) // content loaded later is checked too
      if (route === routes.quickAsk) await page.reload({ waitUntil: "networkidle" }) // opens as a separate window
      await expect(loading).toHaveCount(0)
      await open?.(page)
      await check(name)
      if (open) await page.reload() // otherwise it would cover the next screen
    }
  })

// Catches an answer, a toast or progress that isn't announced, interrupts, or is read out token by token.
test("content that appears by itself is announced without interrupting", async ({ page, box }) => {
  const gate = Promise.withResolvers<void>()
  await using model = await startModelServer(async () => {
    await gate.promise
    return { text: "The walrus sleeps at noon [1]." }
  })
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  const { server } = await client.modelServers.add({ body: { name: "Slow", url: model.baseUrl } })
  await client.models.choose({ body: { role: "chat", modelId: server.models[0]?.id ?? "" } })
  const { vector } = await client.folders.create({ body: { name: "Animals" } })
  const file = { file: new Blob(["The walrus sleeps at noon."]), fileName: "walrus.md" }
  await client.files.upload({ params: { id: vector.id }, ...file })
  const states = async () =>
    (await client.files.list({ params: { id: vector.id } })).files.map(({ status }) => status)
  await expect.poll(states).toEqual(["completed"])
  await signIn(page, box)
  await page.goto(`${box.url}/#${routes.newChatIn(vector.id)}`)

  // A live region that is added together with its first text isn't announced.
  const toasts = page.locator("[data-toasts]")
  await expect(toasts).toBeEmpty()
  await expect(toasts).toHaveAttribute("aria-live", "polite")
  await page.getByRole("button", { name: /^Reading mode:/ }).press("Enter")
  await page.getByRole("menuitemradio", { name: /^Whole documents/ }).press("Enter")
  await page.getByLabel("Message", { exact: true }).fill("When does the walrus sleep?")
  await page.keyboard.press("Enter")
  const conversation = page.getByRole("log", { name: "Chat" })
  await expect(conversation).toHaveAttribute("aria-live", "polite")
  await expect(conversation).toHaveAttribute("aria-busy", "true")
  await expect(page.getByRole("progressbar", { name: /^Reading \d of \d parts?$/ })).toBeVisible()
  await expectFaultless(page, "en", "while it is reading")
  gate.resolve()
  await expect(conversation.getByRole("article", { name: "Answer" })).toContainText(
    "The walrus sleeps at noon",
  )
  await expect(conversation).toHaveAttribute("aria-busy", "false")

  await client.notifications.send({ body: { title: "Herring is out", type: "info" } })
  await expect(toasts.getByRole("button", { name: "Herring is out" })).toBeVisible()
  await expectFaultless(page, "en", "with a toast")
})
