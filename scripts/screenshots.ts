// `npm run screenshots [-- it]`: a picture of every screen, light and dark, in both sizes, in out/screenshots. The box
// behind them is a new one with made-up content and a scripted model, and is gone afterwards.
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { chromium, type Page } from "playwright-core"
import { startBox } from "../e2e/running-box.ts"
import { ensureTestModel } from "../src/box/engines/llama/testing/test-models.ts"
import { routes } from "../src/renderer/lib/routes.ts"
import { addPictureContent, pictureReply, type PictureContent } from "./screenshot-content.ts"
// @ts-expect-error -- plain JavaScript without types: it runs before TypeScript is installed
import { ensureBrowser, ensureBuilt, findBrowser } from "./setup.mjs"

const directory = join(import.meta.dirname, "../out/screenshots")
const sizes = [
  { width: 1280, height: 800 },
  { width: 800, height: 600 },
]
const language = process.argv[2] === "it" ? "it" : "en"

/** Every screen by name: the routes without parts, and one of each that has some. */
function screens({ folderId, fileId, chatId, assistantId }: PictureContent): [name: string, route: string][] {
  const plain = Object.entries(routes).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  )
  return [
    ...plain,
    ["chat", routes.chat(chatId)],
    ["folder", routes.folder(folderId)],
    ["file", routes.file(folderId, fileId)],
    ["assistant", routes.assistant(assistantId)],
  ]
}

async function takePictures(
  page: Page,
  url: string,
  theme: string,
  shown: [string, string][],
): Promise<void> {
  for (const size of sizes) {
    await page.setViewportSize(size)
    for (const [name, route] of shown) {
      await page.goto(`${url}/#${route}`)
      await page.reload({ waitUntil: "networkidle" })
      await page.screenshot({
        path: join(directory, `${name}-${theme}-${size.width}.png`),
        animations: "disabled",
      })
    }
  }
}

;(ensureBuilt as () => void)()
;(ensureBrowser as () => void)()
rmSync(directory, { recursive: true, force: true })
mkdirSync(directory, { recursive: true })

await using box = await startBox("--model", ensureTestModel({ reply: pictureReply }))
const shown = screens(await addPictureContent(box.url, box.key))
const browser = await chromium.launch({
  executablePath: (findBrowser as () => string)(),
  args: ["--no-sandbox", "--disable-gpu"],
})
for (const theme of ["light", "dark"] as const) {
  const context = await browser.newContext({ colorScheme: theme })
  await context.addInitScript(
    `localStorage.setItem("language", "${language}"); localStorage.setItem("first-run", "done")`,
  )
  const page = await context.newPage()
  await page.goto(await box.signInLink())
  await page.waitForURL(`${box.url}/#/`)
  await takePictures(page, box.url, theme, shown)
}
await browser.close()
process.stdout.write(`${shown.length * sizes.length * 2} pictures are in ${directory}\n`)
