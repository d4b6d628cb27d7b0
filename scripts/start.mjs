// `npm start` sets everything up and opens the app in Electron, or in the browser if Electron's binary isn't available.
import { spawn, spawnSync } from "node:child_process"
import { createInterface } from "node:readline"
import { join } from "node:path"
import { locateElectron } from "./electron-binary.mjs"
import { openAddress } from "./open-address.mjs"
import { ensureBuilt, ensureInstalled, environment, nodeProgram, root } from "./setup.mjs"

const say = (text) => process.stdout.write(`${text}\n`)
const downloadLimitMs = 10 * 60_000
const cli = join(root, "out", "main", "cli.js")

const usage = `Usage: npm start [-- [--browser] [OPTION...]]

Sets Casella up and opens it in a window, or in the browser if Electron's binary isn't available.

  --browser   opens it in the browser
  OPTION      an option of the server, such as --data DIRECTORY; "npm run box -- --help" lists them`

if (process.argv.includes("--help") || process.argv.includes("-h")) {
  say(usage)
  process.exit()
}
ensureInstalled()
ensureBuilt()
if (process.argv.includes("--browser")) openInBrowser("because you asked for it")
else {
  const electron = findElectron()
  if (electron.path) runElectron(electron.path)
  else openInBrowser(`because ${electron.reason}`)
}

/** Electron's package doesn't contain its binary, but downloads it at first use. */
function findElectron() {
  const installer = join(root, "node_modules", "electron", "install.js")
  const located = locateElectron()
  if (located) return { path: located }
  if (process.platform === "linux" && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) {
    return { reason: "there is no display for a desktop window" }
  }
  say("Fetching Electron (once, about 120 MB) …")
  spawnSync(nodeProgram(), [installer], {
    cwd: root,
    env: environment(),
    stdio: "inherit",
    timeout: downloadLimitMs,
  })
  const path = locateElectron()
  return path ? { path } : { reason: "Electron's binary couldn't be fetched" }
}

function runElectron(binary) {
  const app = spawn(binary, [root, ...process.argv.slice(2)], { stdio: "inherit", env: environment() })
  app.on("exit", (code) => process.exit(code ?? 1))
}

function openInBrowser(why) {
  say(`Opening Casella in your browser ${why}.`)
  const args = process.argv.slice(2).filter((argument) => argument !== "--browser")
  const running = signInLink(args)
  if (running) {
    say(`It is running already, at  ${running}`)
    open(running)
    return
  }
  const box = spawn(nodeProgram(), [cli, ...args], { stdio: ["ignore", "pipe", "pipe"], env: environment() })
  let log = "" // the full log is in the data directory; this part is only needed if the start fails
  box.stderr.on("data", (chunk) => (log = (log + chunk).slice(-4000)))
  createInterface({ input: box.stdout }).on("line", (line) => {
    const ready = JSON.parse(line)
    const address = signInLink(["--data", ready.dataDir])
    say(
      `\n  Casella is at  ${address}\n  (works once, for 5 minutes; "npm run --silent box -- signin" makes another)`,
    )
    if (ready.firstRunKey) say(`  API key for scripts, shown only now:  ${ready.firstRunKey}`)
    say(`  Its data and logs are in ${ready.dataDir}. Ctrl C stops it.\n`)
    open(address)
  })
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => box.kill("SIGTERM"))
  box.on("exit", (code) => {
    if (code !== 0) say(log)
    process.exit(code ?? 1)
  })
}

/** A sign-in link for the box running on the data directory; null if none is running. */
function signInLink(args) {
  const data = args.indexOf("--data")
  const flags = data < 0 ? [] : ["--data", args[data + 1] ?? ""]
  const link = spawnSync(nodeProgram(), [cli, "signin", ...flags], { encoding: "utf8", env: environment() })
  return link.status === 0 ? link.stdout.trim() : null
}

function open(address) {
  openAddress(address, () => say("  No browser could be opened by itself: open the address above."))
}
