import { type ChildProcess, execFile, fork } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { _electron, expect, type Browser, type Page } from "@playwright/test"
import type * as Electron from "electron"
// @ts-expect-error -- plain JavaScript without types: it runs before TypeScript is installed
import { locateElectron } from "../../scripts/electron-binary.mjs"
import "./desktop-record.ts"
import { createBrowserWindows } from "./stand-in/browser-windows.ts"
import { connect } from "./stand-in/wire.ts"

const root = join(import.meta.dirname, "../..")
const node = process.execPath
const main = join(root, "out/main/main.js")
const standIn = join(import.meta.dirname, "stand-in/register.ts")
const maxLogCharacters = 4_000
const startLimitMs = 80_000
const stopLimitMs = 15_000

/** Location of Electron's binary; null if it couldn't be downloaded. */
export const electronBinary = (locateElectron as () => string | null)()

export interface DesktopApp extends AsyncDisposable {
  dataDir: string
  /** The page of a window, when it has opened. */
  page(which: "main" | "quick-ask"): Promise<Page>
  /** Runs a function in the program's main process. It can use only its argument, nothing else from the test. */
  evaluate<R, A>(run: (electron: typeof Electron, arg: A) => R | Promise<R>, arg: A): Promise<R>
  /** Starts the program again on the same data, like a second click on its icon. Settles when that process has ended. */
  launchAgain(...args: string[]): Promise<void>
  /** Settles when the program has ended, with its exit code. */
  exited: Promise<number | null>
}

interface Running extends Omit<DesktopApp, "page" | "dataDir" | "launchAgain" | typeof Symbol.asyncDispose> {
  pages(): Page[]
  end(): Promise<void>
}

/** Starts the built desktop program on a new data directory, in Electron if it is available, otherwise in its stand-in. */
export async function startDesktop(
  browser: Browser,
  onPage: (page: Page) => void,
  ...flags: string[]
): Promise<DesktopApp> {
  const dataDir = mkdtempSync(join(tmpdir(), "casella-desktop-"))
  const args = ["--port", "0", "--data", dataDir, ...flags]
  const running = electronBinary
    ? await startElectron(electronBinary, args, onPage)
    : await startStandIn(browser, args, onPage)
  return {
    ...running,
    dataDir,
    async page(which) {
      const isQuickAsk = (page: Page) => page.url().includes("#/quick-ask")
      const isRoute = (page: Page) => page.url().startsWith("http") && !page.url().includes("#/signin")
      const find = () =>
        running.pages().find((page) => isRoute(page) && isQuickAsk(page) === (which === "quick-ask"))
      await expect.poll(() => find() !== undefined, { timeout: startLimitMs }).toBe(true)
      return find() as Page
    },
    async launchAgain(...more) {
      const command = electronBinary ?? node
      const program = electronBinary ? [root] : ["--import", standIn, main]
      await promisify(execFile)(command, [...program, ...args, ...more], { timeout: stopLimitMs })
    },
    async [Symbol.asyncDispose]() {
      await running.end()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Creates an API key for the program's box. */
export async function createKey(dataDir: string): Promise<{ url: string; key: string }> {
  const cli = join(root, "out/main/cli.js")
  const { stdout } = await promisify(execFile)(node, [
    cli,
    "keys",
    "create",
    "--name",
    "e2e",
    "--data",
    dataDir,
  ])
  const { url } = JSON.parse(readFileSync(join(dataDir, "box.json"), "utf8")) as { url: string }
  return { url, key: /box_[\w-]{43}/.exec(stdout)?.[0] ?? "" }
}

async function startElectron(binary: string, args: string[], onPage: (page: Page) => void): Promise<Running> {
  const app = await _electron.launch({
    executablePath: binary,
    args: ["--require", join(import.meta.dirname, "record.cjs"), "--no-sandbox", root, ...args],
  })
  app.on("window", onPage)
  const program = app.process()
  return {
    pages: () => app.windows(),
    evaluate: (run, arg) => app.evaluate(run as never, arg as never),
    exited: getExit(program),
    end: () => endProgram(program),
  }
}

async function startStandIn(
  browser: Browser,
  args: string[],
  onPage: (page: Page) => void,
): Promise<Running> {
  const program = fork(main, args, {
    execPath: node,
    execArgv: ["--import", standIn],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  })
  let log = ""
  program.stderr?.setEncoding("utf8").on("data", (text: string) => {
    log = (log + text).slice(-maxLogCharacters)
  })
  const context = await browser.newContext()
  const windows = createBrowserWindows(context, (method, ...args) => wire.call(method, ...args), onPage)
  const wire = connect(
    {
      send: (message) => {
        if (program.connected) program.send(message as object, () => undefined)
      },
      onMessage: (listener) => program.on("message", listener),
    },
    windows.methods,
  )
  const exited = getExit(program)
  void exited.then((code) => {
    if (code !== 0 && code !== null) process.stderr.write(`The desktop program ended with ${code}:\n${log}\n`)
  })
  return {
    pages: windows.pages,
    evaluate: <R, A>(run: (electron: typeof Electron, arg: A) => R | Promise<R>, arg: A) =>
      wire.call("evaluate", run.toString(), arg) as Promise<R>,
    exited,
    async end() {
      await endProgram(program)
      await context.close()
    },
  }
}

const getExit = (program: ChildProcess): Promise<number | null> =>
  program.exitCode === null
    ? once(program, "exit").then(([code]) => code as number | null)
    : Promise.resolve(program.exitCode)

async function endProgram(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return
  const gone = once(program, "exit", { signal: AbortSignal.timeout(stopLimitMs) })
  program.kill("SIGTERM")
  await gone.catch(() => program.kill("SIGKILL"))
}
