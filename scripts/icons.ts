// `npm run icons` draws every icon of the desktop program from the page's icon, into `build/icons` (for packages) and `resources/desktop`
// (tray and badge). The results are committed, so run it when casella.svg changes.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { chromium, type Page } from "playwright-core"
import { icns, ico, type Picture } from "./icon-files.ts"
// @ts-expect-error -- plain JavaScript without types: it runs before TypeScript is installed
import { findBrowser } from "./setup.mjs"

const root = join(import.meta.dirname, "..")
const drawing = readFileSync(join(root, "src/renderer/public/casella.svg"), "utf8")
/** Only the lines, black on transparent, as macOS requires in its menu bar. */
const outline = drawing
  .replace(/<rect[^>]*>/, "")
  .replaceAll("#fff", "#000")
  .replace('viewBox="0 0 32 32"', 'viewBox="6 6 20 21"')
const dot =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6" fill="#d6323f"/></svg>'
/** macOS leaves a margin around an icon's shape: 824 of 1024. */
const macScale = 824 / 1024

const executablePath = (findBrowser as () => string | undefined)()
const browser = await chromium.launch({
  ...(executablePath === undefined ? {} : { executablePath }),
  args: ["--no-sandbox", "--disable-gpu"],
})
const page = await browser.newPage()

async function draw(page: Page, svg: string, size: number, scale = 1): Promise<Picture> {
  await page.setViewportSize({ width: size, height: size })
  const inner = size * scale
  await page.setContent(
    `<style>body{margin:0;display:grid;place-items:center;height:100vh}svg{width:${inner}px;height:${inner}px}</style>${svg}`,
  )
  return { size, png: await page.screenshot({ omitBackground: true }) }
}

async function drawAll(sizes: number[], scale = 1): Promise<Picture[]> {
  const pictures: Picture[] = []
  for (const size of sizes) pictures.push(await draw(page, drawing, size, scale))
  return pictures
}

function save(directory: string, name: string, bytes: Buffer): void {
  mkdirSync(join(root, directory), { recursive: true })
  writeFileSync(join(root, directory, name), bytes)
}

const linux = await drawAll([16, 32, 48, 64, 128, 256, 512])
for (const { size, png } of linux) save("build/icons/linux", `${size}x${size}.png`, png)
save("build/icons", "icon.ico", ico(await drawAll([16, 24, 32, 48, 64, 128, 256])))
save("build/icons", "icon.icns", icns(await drawAll([32, 64, 128, 256, 512, 1024], macScale)))

save("resources/desktop", "tray.png", (await draw(page, drawing, 32)).png)
save("resources/desktop", "tray.ico", ico(await drawAll([16, 20, 24, 32, 48])))
save("resources/desktop", "trayTemplate.png", (await draw(page, outline, 18)).png)
save("resources/desktop", "trayTemplate@2x.png", (await draw(page, outline, 36)).png)
save("resources/desktop", "badge.png", (await draw(page, dot, 32)).png)
await browser.close()
