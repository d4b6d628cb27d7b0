import { readFileSync } from "node:fs"
import type { BrowserContext, Page } from "@playwright/test"
import type { Methods } from "./wire.ts"

interface Shown {
  page: Page
  url: string
  preload: string
}

type CallMain = (method: string, ...args: unknown[]) => Promise<unknown>

/** The stand-in's windows: pages in an ordinary browser, each with the built preload script. */
export function createBrowserWindows(
  context: BrowserContext,
  callMain: CallMain,
  onPage: (page: Page) => void,
) {
  const windows = new Map<number, Shown>()
  const shown = (id: number): Shown => {
    const window = windows.get(id)
    if (!window) throw new Error(`There is no window ${id}.`)
    return window
  }

  async function makePage(id: number, preload: string): Promise<Page> {
    const page = await context.newPage()
    onPage(page)
    await page.exposeBinding("standInInvoke", ({ frame }, channel: string, args: unknown[]) =>
      callMain("invoke", frame.url(), channel, args),
    )
    await page.addInitScript({ content: preloadScript(preload) })
    page.on("crash", () => void callMain("crashed", id))
    page.on("popup", (popup) => {
      void callMain("wantsToOpen", id, popup.url()).then(() => popup.close())
    })
    return page
  }

  const methods: Methods = {
    async open(id: number, { width, height }: { width: number; height: number }, preload: string) {
      const page = await makePage(id, preload)
      await page.setViewportSize({ width, height })
      windows.set(id, { page, url: "about:blank", preload })
    },
    async load(id: number, url: string) {
      const window = shown(id)
      window.url = url
      await window.page.goto(url)
    },
    /** A crashed browser page can't be reused, so a new one replaces it. */
    async reload(id: number) {
      const window = shown(id)
      const url = window.page.url() || window.url
      const size = window.page.viewportSize()
      const crashed = window.page
      window.page = await makePage(id, window.preload)
      if (size) await window.page.setViewportSize(size)
      await crashed.close()
      await window.page.goto(url)
    },
    async crash(id: number) {
      const browser = await context.newCDPSession(shown(id).page)
      void browser.send("Page.crash").catch(() => undefined) // the page it was sent to is gone
    },
    send: (id: number, channel: string, args: unknown[]) =>
      shown(id).page.evaluate(`window.standInEmit?.(...${JSON.stringify([channel, ...args])})`),
    focus: (id: number) => windows.get(id)?.page.bringToFront(),
    async close(id: number) {
      await windows.get(id)?.page.close()
      windows.delete(id)
    },
  }
  return { methods, pages: () => [...windows.values()].map(({ page }) => page) }
}

/** Runs the preload script with the parts of Electron that it needs. */
function preloadScript(path: string): string {
  return `if (window.top === window) {
  const heard = new Map()
  window.standInEmit = (channel, ...args) => {
    for (const listener of heard.get(channel) ?? []) listener({}, ...args)
  }
  const electron = {
    contextBridge: { exposeInMainWorld: (name, value) => { window[name] = Object.freeze(value) } },
    ipcRenderer: {
      invoke: (channel, ...args) => window.standInInvoke(channel, args),
      on: (channel, listener) => { heard.set(channel, [...(heard.get(channel) ?? []), listener]) },
      off: (channel, listener) => { heard.set(channel, (heard.get(channel) ?? []).filter((one) => one !== listener)) },
    },
  }
  ;((require, module, exports) => {
${readFileSync(path, "utf8")}
  })((name) => { if (name === "electron") return electron; throw new Error("no " + name) }, { exports: {} }, {})
}`
}
