import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { channelNames } from "../shared/ipc-names.ts"
import { channels } from "../shared/ipc.ts"
import { mainWindowShape, quickAskShape, windowOptions } from "./windows/window-options.ts"

const directory = import.meta.dirname
const sources = readdirSync(directory, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
  .map((name) => ({ name, text: readFileSync(join(directory, name), "utf8") }))

test("sandboxes and isolates windows, without Node", () => {
  expect(windowOptions.webPreferences).toMatchObject({
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    webSecurity: true,
    webviewTag: false,
  })
  expect([mainWindowShape, quickAskShape].filter((shape) => "webPreferences" in shape)).toEqual([])
})

// Catches a second place that creates windows or opens external addresses, bypassing the checks.
test.each([
  ["new BrowserWindow(", ["windows/windows.ts"]],
  ["shell.openExternal(", ["start-desktop.ts"]],
  ["ipcMain.handle(", ["ipc/register.ts"]],
  ["commandLine.", ["main.ts"]],
  [".loadURL(", ["windows/main-window.ts", "windows/quick-ask-window.ts", "windows/recover-page.ts"]],
])("uses %s only where it belongs", (call, places) => {
  const found = sources.filter(({ text }) => text.includes(call)).map(({ name }) => name)
  expect(found.toSorted((a, b) => a.localeCompare(b))).toEqual(places)
})

const weakening = new RegExp(
  [
    String.raw`ipcMain\.on\(|ipcMain\.handleOnce\(|remote\b\.enable`,
    String.raw`(sandbox|contextIsolation|webSecurity): (false|!1)`,
    String.raw`(nodeIntegration\w*|webviewTag|allowRunningInsecureContent|experimentalFeatures): (true|!0)`,
    String.raw`executeJavaScript|setBypassCSP|certificate-error|ignore-certificate|no-sandbox|disable-web-security`,
    String.raw`openPath\(|shell\.openItem|protocol\.register|setCertificateVerifyProc`,
  ].join("|"),
)

test("contains nothing that weakens a window or listens to unchecked messages", () => {
  for (const { name, text } of sources) expect(text, name).not.toMatch(weakening)
})

test("exposes only the channels of Electron in the preload", () => {
  const preload = readFileSync(join(directory, "../preload/preload.ts"), "utf8")
  expectNarrow(preload)
  expect(Object.keys(channels).toSorted((a, b) => a.localeCompare(b))).toEqual(
    channelNames.toSorted((a, b) => a.localeCompare(b)),
  )
})

function expectNarrow(preload: string): void {
  expect(preload.match(/exposeInMainWorld/g)).toHaveLength(1)
  expect(preload.match(/ipcRenderer\.\w+/g)).toEqual([
    "ipcRenderer.invoke",
    "ipcRenderer.on",
    "ipcRenderer.off",
  ])
}

// The bundles are what ships, and a plugin or package could add code that isn't in the sources.
const bundles = join(directory, "../../out")
const bundle = (path: string) => readFileSync(join(bundles, path), "utf8")

describe("the built bundles", { tags: "build" }, () => {
  test("the shell's bundle creates windows, opens addresses and handles messages in one place each, and weakens nothing", () => {
    const main = bundle("main/main.js")
    expect(main.match(/new BrowserWindow\(/g)).toHaveLength(1)
    expect(main.match(/shell\.openExternal\(/g)).toHaveLength(1)
    expect(main.match(/ipcMain\.\w+\(/g)).toEqual(["ipcMain.handle("])
    expect(main.match(/commandLine\.appendSwitch\("[^"]*"/g)).toEqual([
      'commandLine.appendSwitch("host-resolver-rules"',
    ])
    expect(main).not.toMatch(weakening)
  })

  test("the preload is one small file that loads only Electron", () => {
    const preload = bundle("preload/preload.cjs")
    expectNarrow(preload)
    expect(preload.match(/require\([^)]*\)/g)).toEqual(['require("electron")'])
  })

  test("only the shell's bundle and the updater's package use Electron", () => {
    const knowing = readdirSync(join(bundles, "main"))
      .filter((name) => name.endsWith(".js"))
      .filter((name) => /from "electron"|require\("electron"\)/.test(bundle(`main/${name}`)))
    expect(knowing).toEqual(["main.js"])
  })
})
