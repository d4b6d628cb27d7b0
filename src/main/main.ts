import { parseArgs } from "node:util"
import { app, dialog, shell } from "electron"
import { readConfig, type BoxFlags } from "../box/box-config.ts"
import { builtPage } from "../box/commands/run-box.ts"
import { startBox, type RunningBox } from "../box/start-box.ts"
import { registerChannels } from "./ipc/register.ts"
import { lockDown } from "./lock-down.ts"
import { createOpenExternal } from "./open-external.ts"
import { spawnUtilityChild } from "./spawn-utility-child.ts"
import { openMainWindow, showExistingWindow } from "./windows.ts"

/** The box has this long to store what runs before the app ends anyway. */
const longestStopMs = 5_000

app.enableSandbox()
if (app.requestSingleInstanceLock()) void app.whenReady().then(start).catch(explainAndQuit)
else app.quit()

async function start(): Promise<void> {
  const box = await startBox(readConfig(readFlags()), { pageDir: builtPage, spawn: spawnUtilityChild })
  stopWithApp(box)
  lockDown(
    box.url,
    createOpenExternal((address) => shell.openExternal(address)),
  )
  registerChannels(box.url)
  const open = () => openMainWindow(box.url, () => box.signInToken())
  const show = () => {
    if (!showExistingWindow()) open().catch(explainAndQuit)
  }
  app.on("second-instance", show)
  app.on("activate", show)
  app.on("window-all-closed", () => {
    if (process.platform !== "darwin") app.quit()
  })
  await open()
}

/** The box's own flags; what Electron and the system add is none of ours. */
function readFlags(): BoxFlags {
  const { values } = parseArgs({
    args: process.argv.slice(app.isPackaged ? 1 : 2),
    strict: false,
    allowPositionals: true,
    options: {
      port: { type: "string" },
      data: { type: "string" },
      model: { type: "string" },
      "embedding-model": { type: "string" },
      "auth-url": { type: "string" },
    },
  })
  return Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === "string"))
}

function stopWithApp(box: RunningBox): void {
  let stopping = false
  app.on("will-quit", (event) => {
    event.preventDefault()
    if (stopping) return
    stopping = true
    setTimeout(() => app.exit(1), longestStopMs)
    box[Symbol.asyncDispose]().then(
      () => app.exit(0),
      (error: unknown) => {
        process.stderr.write(`The box didn't stop cleanly: ${String(error)}\n`)
        app.exit(1)
      },
    )
  })
}

function explainAndQuit(error: unknown): void {
  const { message, code } = error as Error & { code?: string }
  const taken = code === "EADDRINUSE"
  dialog.showErrorBox(
    "Casella can’t start",
    taken ? "Its port is taken by another program. Start Casella with --port 0 to use a free one." : message,
  )
  app.exit(2)
}
