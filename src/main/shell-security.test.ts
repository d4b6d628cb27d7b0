import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { channels } from "../shared/ipc.ts"
import { windowOptions } from "./window-options.ts"

const directory = import.meta.dirname
const sources = readdirSync(directory, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
  .map((name) => ({ name, text: readFileSync(join(directory, name), "utf8") }))

test("windows are sandboxed, isolated and have no Node", () => {
  expect(windowOptions.webPreferences).toMatchObject({
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    webSecurity: true,
    webviewTag: false,
  })
})

// Would catch a second window, or a second way out, that bypasses the one place where it is checked.
test.each([
  ["new BrowserWindow(", ["windows.ts"]],
  ["shell.openExternal(", ["main.ts"]],
  ["ipcMain.handle(", ["ipc/register.ts"]],
])("only %s is where it belongs", (call, places) => {
  expect(sources.filter(({ text }) => text.includes(call)).map(({ name }) => name)).toEqual(places)
})

test("nothing weakens a window or listens to unchecked messages", () => {
  for (const { name, text } of sources) {
    expect(text, name).not.toMatch(
      /ipcMain\.on\(|sandbox: false|nodeIntegration\w*: true|webSecurity: false|remote\b\.enable/,
    )
  }
})

test("the preload exposes the channels and nothing else of Electron", () => {
  const preload = readFileSync(join(directory, "../preload/preload.ts"), "utf8")
  expect(preload.match(/exposeInMainWorld/g)).toHaveLength(1)
  expect(preload.match(/ipcRenderer\.\w+/g)).toEqual(["ipcRenderer.invoke"])
  expect(Object.keys(channels)).toEqual(["pickDirectory", "showPopup"])
})
