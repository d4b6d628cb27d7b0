// Sets up everything that running and testing needs. Plain Node 18 or newer, no dependency: it runs before any is
// installed. Idempotent, and quick when there is nothing to do.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, "node_modules")
const installedStamp = join(modules, ".casella-installed")
const builtStamp = join(root, "out", ".casella-built")
const say = (text) => process.stderr.write(`${text}\n`)

/** Node's own environment with the project's commands, pinned Node included, first in the path. */
export const environment = () => ({
  ...process.env,
  PATH: join(modules, ".bin") + delimiter + process.env.PATH,
})

/** The pinned Node; everything of the project runs on it, whatever Node started this script. */
export const pinnedNode = () =>
  join(modules, "node", "bin", process.platform === "win32" ? "node.exe" : "node")

/** Runs a command and stops when it fails. Its output goes to stderr: stdout belongs to the program itself. */
export function run(command, args) {
  const status = tryRun(command, args)
  if (status !== 0) process.exit(status)
}

/** The same, but answers the exit status. */
function tryRun(command, args) {
  const done = spawnSync(command, args, {
    cwd: root,
    env: environment(),
    stdio: ["inherit", process.stderr, "inherit"],
    shell: process.platform === "win32",
  })
  if (done.status !== 0)
    say(`\n"${command} ${args.join(" ")}" failed${done.error ? `: ${done.error.message}` : ""}.`)
  return done.status ?? 1
}

/** Installs the packages of the lockfile, once for each lockfile. */
export function ensureInstalled() {
  const lockfile = join(root, "package-lock.json")
  const wanted = createHash("sha256").update(readFileSync(lockfile)).digest("hex")
  if (read(installedStamp) === wanted) return
  say("Installing packages (about 1.9 GB on disk, a minute or two) …")
  const [npm, ...given] = usableNpm()
  run(npm, [...given, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
  // npm would run node-gyp for every package with a `binding.gyp`, needed or not: only the listed scripts are run.
  run(npm, [...given, "rebuild", "--ignore-scripts=false", "--loglevel=error", ...packagesWithScripts()])
  writeFileSync(installedStamp, wanted)
}

/** npm's command. Those before 10, such as Debian's, take this lockfile for a wrong one, and fetch one that doesn't. */
function usableNpm() {
  const version = spawnSync("npm", ["--version"], {
    shell: process.platform === "win32",
    encoding: "utf8",
  }).stdout
  if (Number.parseInt(version) >= 10) return ["npm"]
  const place = join(root, "out", "npm")
  run("npm", ["install", "--prefix", place, "--no-audit", "--no-fund", "--loglevel=error", "npm@10.9.4"])
  const paths = [process.execPath, join(place, "node_modules/npm/bin/npm-cli.js")]
  return process.platform === "win32" ? paths.map((path) => `"${path}"`) : paths
}

/** Names of the packages whose installation scripts may run. */
function packagesWithScripts() {
  const { allowScripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  return Object.keys(allowScripts).filter((name) => allowScripts[name])
}

/** Builds page, box and desktop shell when a source is newer than the last build. */
export function ensureBuilt() {
  const newest = Math.max(
    ...["src", "electron.vite.config.ts", "package-lock.json"].map((name) => newestTime(join(root, name))),
  )
  if (Number(read(builtStamp)) >= newest) return
  say("Building Casella (a few seconds) …")
  run("electron-vite", ["build", "--logLevel", "error"])
  mkdirSync(dirname(builtStamp), { recursive: true })
  writeFileSync(builtStamp, String(newest))
}

const wholeBrowsers = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "Google Chrome",
  "Chromium",
  "chrome.exe",
]
/** Chromium without windows: the same engine for a third of the processor time. */
const shells = ["chromium-headless-shell", "chrome-headless-shell"]

/**
 * Browsers for the end-to-end tests. Where apt can install Debian's shell, a whole one is only made do with; one journey
 * needs it all the same, because only a whole one looks ahead, and is skipped where there is none.
 */
export function ensureBrowser() {
  if (process.env.CHROMIUM_PATH || (findProgram(shells) && findWholeBrowser())) return
  const canInstall = process.platform === "linux" && process.getuid?.() === 0
  if (!canInstall && findBrowser()) return
  if (!canInstall) {
    say("No Chromium or Chrome found: install one, or set CHROMIUM_PATH, to run the end-to-end tests.")
    process.exit(1)
  }
  say("Installing Chromium for the end-to-end tests …")
  const quickly = ["-qq", "-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=20"]
  // Once more where it fails: an old list has an old Chromium, in which widgets don't run while the box is local-only.
  if (tryRun("apt-get", ["update", ...quickly]) !== 0) tryRun("apt-get", ["update", "-qq"])
  if (tryRun("apt-get", ["install", "-y", ...quickly, shells[0], "chromium"]) === 0 || findBrowser()) return
  run("apt-get", ["install", "-y", ...quickly, "chromium"])
}

/** Path of a Chromium or Chrome, or undefined. */
export function findBrowser() {
  return process.env.CHROMIUM_PATH || findProgram([...wholeBrowsers, ...shells])
}

/** Path of a Chromium or Chrome that isn't a shell, or undefined. */
export function findWholeBrowser() {
  return findProgram(wholeBrowsers)
}

/** Path of the browser that the end-to-end tests use, or undefined. */
export function findTestBrowser() {
  return process.env.CHROMIUM_PATH || findProgram([...shells, ...wholeBrowsers])
}

function findProgram(names) {
  const directories = [
    ...(process.env.PATH ?? "").split(delimiter),
    "/Applications/Google Chrome.app/Contents/MacOS",
    "/Applications/Chromium.app/Contents/MacOS",
    "C:\\Program Files\\Google\\Chrome\\Application",
    "C:\\Program Files\\Chromium\\Application",
  ]
  return names
    .flatMap((name) => directories.map((directory) => join(directory, name)))
    .find((path) => existsSync(path))
}

function read(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : ""
}

function newestTime(path) {
  const stats = statSync(path)
  if (!stats.isDirectory()) return stats.mtimeMs
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => newestTime(join(path, name))))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  ensureInstalled()
  ensureBuilt()
}
