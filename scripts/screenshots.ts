// `npm run screenshots [-- LANGUAGE]` takes a screenshot of every screen, light and dark, in all sizes, in out/screenshots/LANGUAGE. It uses a
// new box with made-up content and a scripted model, and removes it afterwards.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { chromium, type Page } from "playwright-core"
import { say } from "../e2e/page-strings.ts"
import { startBox } from "../e2e/running-box.ts"
import { ensureTestModel } from "../src/box/engines/llama/testing/test-models.ts"
import { folderTabs, routes } from "../src/renderer/lib/navigation/routes.ts"
import { isLanguage } from "../src/shared/languages.ts"
import { addPictureContent, pictureReply, type PictureContent } from "./screenshot-content.ts"
// @ts-expect-error -- plain JavaScript without types: it runs before TypeScript is installed
import { ensureBrowser, ensureBuilt, findBrowser } from "./setup.mjs"

const sizes = [
  { width: 1280, height: 800 },
  { width: 800, height: 600 },
  { width: 390, height: 844 },
]
const themes = ["light", "dark"] as const
const [, , language = "en"] = process.argv
if (!isLanguage(language)) throw new Error(`The page isn't in ${language}.`)
const directory = join(import.meta.dirname, "../out/screenshots", language)
const text = (key: string) => say(language, key)

interface Screen {
  name: string
  route: string
  /** Opens something that has no address, after the route is shown. */
  open?: (page: Page) => Promise<void>
}

/** Every screen: the routes without parameters, one example of each with parameters, and everything that opens over them. */
function screens({ folderId, fileId, chatId, assistantId }: PictureContent): Screen[] {
  const plain = Object.entries(routes).flatMap(([name, route]) =>
    typeof route === "string" ? [{ name, route }] : [],
  )
  const chat = routes.chat(chatId)
  const press = (key: string, shown: string) => async (page: Page) => {
    await page.locator("body").press(key)
    await page.locator(shown).first().waitFor()
  }
  return [
    ...plain,
    { name: "chat", route: chat },
    { name: "folder", route: routes.folder(folderId) },
    ...folderTabs.slice(1).map((tab) => ({ name: `folder-${tab}`, route: routes.folderTab(folderId, tab) })),
    {
      name: "folder-settings",
      route: routes.folder(folderId),
      async open(page) {
        await page.getByRole("button", { name: text("folders:menu.label") }).click()
        await page.getByRole("menuitem", { name: text("folders:settings.open") }).click()
        await page.getByRole("dialog").waitFor()
      },
    },
    { name: "file", route: routes.file(folderId, fileId) },
    { name: "assistant", route: routes.assistant(assistantId) },
    { name: "unknown", route: "/nowhere" },
    {
      name: "citation",
      route: chat,
      async open(page) {
        await page.locator("article button", { hasText: /^1$/ }).first().click()
        await page.locator("mark").first().waitFor()
      },
    },
    { name: "palette", route: chat, open: press("Control+k", "[role=listbox]") },
    { name: "notifications", route: chat, open: press("Control+i", "[role=dialog] [data-row]") },
    { name: "shortcuts", route: routes.folders, open: press("?", "[role=dialog]") },
  ]
}

/** Each screen is opened once in each size, and shown in both themes. */
async function takePictures(page: Page, url: string, shown: Screen[]): Promise<void> {
  for (const size of sizes) {
    await page.setViewportSize(size)
    for (const { name, route, open } of shown) {
      await page.goto(`${url}/#${route}`)
      await page.reload({ waitUntil: "networkidle" })
      await open?.(page)
      await page.evaluate("document.fonts.ready.then(() => undefined)")
      for (const colorScheme of themes) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
        const path = join(directory, `${name}-${colorScheme}-${size.width}.png`)
        await page.screenshot({ path, animations: "disabled" })
      }
    }
  }
}

;(ensureBuilt as () => void)()
;(ensureBrowser as () => void)()
rmSync(directory, { recursive: true, force: true })
mkdirSync(directory, { recursive: true })

// The model's file name determines the name in the screenshots.
const models = mkdtempSync(join(tmpdir(), "casella-screenshots-"))
const model = join(models, "example-model.gguf")
copyFileSync(ensureTestModel({ reply: pictureReply }), model)
await using box = await startBox("--model", model)
const browser = await chromium.launch({
  executablePath: (findBrowser as () => string)(),
  args: ["--no-sandbox", "--disable-gpu"],
})
try {
  const page = await browser.newPage()
  await page.addInitScript(`localStorage.setItem("language", "${language}")`)
  await page.goto(await box.signInLink())
  await page.waitForURL(`${box.url}/#/`)
  // The first-run screen only shows while the box is empty.
  await takePictures(page, box.url, [{ name: "first-run", route: routes.newChat }])
  const shown = screens(await addPictureContent(box.url, box.key))
  await page.addInitScript(`localStorage.setItem("first-run", "done")`)
  await takePictures(page, box.url, shown)
  await page.context().clearCookies()
  await takePictures(page, box.url, [{ name: "signed-out", route: routes.newChat }])
  const pictures = (shown.length + 2) * sizes.length * themes.length
  process.stdout.write(`${pictures} pictures are in ${directory}\n`)
} finally {
  await browser.close()
  rmSync(models, { recursive: true })
}
