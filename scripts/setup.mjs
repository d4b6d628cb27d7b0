// Sets up everything needed to run the project. `--dev` adds the packages for tests, checks and packaging; `--cuda` adds the CUDA parts of
// the model engine. It runs on Node 20 or newer and without dependencies, because it runs before they are installed. It is idempotent, and
// fast when there is nothing to do.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { delimiter, dirname, join, relative } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, "node_modules")
const installedStamp = join(modules, ".casella-installed")
const builtStamp = join(root, "out", ".casella-built")
const say = (text) => process.stderr.write(`${text}\n`)

const neededNodeMajor = 24
/** Package of the pinned Node for this computer; `tools/node` lists the existing ones. */
const pinnedNodePackage = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`

const pinnedNode = join(modules, pinnedNodePackage, "bin", process.platform === "win32" ? "node.exe" : "node")

/** Whether the Node running this script can run the project. */
export const isNodeNewEnough = () => Number(process.versions.node.split(".")[0]) >= neededNodeMajor

/**
 * Whether the pinned Node must be installed: the user's own is too old. npm runs scripts on the pinned one if it is already installed, so
 * that one isn't the user's.
 */
const needsPinnedNode = () =>
  !isNodeNewEnough() ||
  (existsSync(pinnedNode) && realpathSync(pinnedNode) === realpathSync(process.execPath))

/** Path of the Node that runs the project: the one running this script if it is new enough, otherwise the pinned one. */
export const nodeProgram = () => (isNodeNewEnough() ? process.execPath : pinnedNode)

/** This process's environment, with the project's commands and Node first in the path. */
export const environment = () => ({
  ...process.env,
  PATH: [join(modules, ".bin"), dirname(nodeProgram()), process.env.PATH].join(delimiter),
})

/** Runs a command and exits if it fails. Its output goes to stderr, because stdout is reserved for the program itself. */
export function run(command, args) {
  const status = tryRun(command, args)
  if (status !== 0) process.exit(status)
}

/** Runs a command in the same way, but returns the exit status. */
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

/**
 * Installs the lockfile's packages: those needed at run time, and the requested workspaces in `tools/`. Packages from an earlier call stay
 * installed. Everything is reinstalled when the lockfile changes.
 */
export function ensureInstalled({ tools = false, cuda = false } = {}) {
  const lockfile = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex")
  const [installedLockfile, ...installed] = read(installedStamp).trim().split("\n")
  const wanted = [needsPinnedNode() && "node", tools && "development", cuda && "cuda"].filter(Boolean)
  const isCurrent = installedLockfile === lockfile
  if (isCurrent && wanted.every((name) => installed.includes(name))) {
    if (!existsSync(nodeLink)) linkNode()
    return
  }
  if (wanted.includes("node")) requirePinnedNode()
  const kept = installed.filter((name) => isCurrent || name !== "node")
  const workspaces = [...new Set([...kept, ...wanted])].toSorted((one, other) => one.localeCompare(other))
  say(`Installing packages (about ${gigabytes(workspaces)} GB on disk, a minute or two) …`)
  rmSync(join(root, "npm-shrinkwrap.json"), { force: true }) // left by an interrupted set-up
  const [npm, ...given] = usableNpm()
  const quietly = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
  const which =
    workspaces.length === 0
      ? ["--workspaces=false"]
      : ["--include-workspace-root", ...workspaces.map((name) => `--workspace=tools/${name}`)]
  // `npm ci` deletes everything first, `npm install` adds what is missing. Both check the lockfile's hashes.
  const install = [...given, ...(isCurrent ? ["install", "--no-save"] : ["ci"]), ...which, ...quietly]
  if (!installByAddress(npm, install)) run(npm, install)
  // npm would run node-gyp for every package with a `binding.gyp`, even if it isn't needed, so only the listed scripts are run.
  const withScripts = packagesWithScripts()
  if (withScripts.length > 0)
    run(npm, [...given, "rebuild", "--ignore-scripts=false", "--loglevel=error", ...withScripts])
  linkNode()
  if (workspaces.includes("cuda")) rmSync(cudaStandIns, { recursive: true, force: true })
  for (const path of unusedParts()) rmSync(path, { recursive: true, force: true })
  writeFileSync(installedStamp, [lockfile, ...workspaces, ""].join("\n"))
  // npm trusts its list of installed packages only if it is newer than their folders. Otherwise it would reinstall everything.
  utimesSync(join(modules, ".package-lock.json"), new Date(), new Date())
}

/**
 * Installs with a copy of the lockfile that contains each package's usual URL at the registry. The lockfile itself has no URLs, so that it
 * works with any registry. Without them, npm first requests each package's list of versions: 650 requests and 120 MB. Returns false if a
 * registry uses other URLs or can't be reached.
 */
function installByAddress(npm, install) {
  const copy = join(root, "npm-shrinkwrap.json")
  const registry = spawnSync("npm", ["config", "get", "registry"], {
    cwd: root,
    shell: process.platform === "win32",
    encoding: "utf8",
  }).stdout.trim()
  const lockfile = readJson("package-lock.json")
  for (const [path, entry] of Object.entries(lockfile.packages)) {
    if (entry.integrity === undefined) continue
    const name = entry.name ?? path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)
    const file = `${name.split("/").at(-1)}-${entry.version}.tgz`
    entry.resolved = `${registry.replace(/\/$/, "")}/${name}/-/${file}`
  }
  writeFileSync(copy, JSON.stringify(lockfile))
  try {
    return tryRun(npm, install) === 0
  } finally {
    rmSync(copy, { force: true })
  }
}

const gigabytes = (workspaces) =>
  (1 + (workspaces.includes("development") ? 0.4 : 0) + (workspaces.includes("cuda") ? 0.6 : 0)).toFixed(1)

/** Exits if no Node is pinned for this kind of computer. */
function requirePinnedNode() {
  const { optionalDependencies } = readJson("tools/node/package.json")
  if (pinnedNodePackage in optionalDependencies) return
  say(
    `This is Node ${process.versions.node}. Casella needs Node ${neededNodeMajor} or newer, and can't install it on ` +
      `${process.platform}-${process.arch}. Install it from https://nodejs.org and run the command again.`,
  )
  process.exit(1)
}

const nodeLink = join(modules, ".bin", "node")

/**
 * npm runs scripts with the commands in `.bin`, so this link makes them run on the project's Node. npm itself links no command that several
 * packages have.
 */
function linkNode() {
  if (process.platform === "win32") return
  rmSync(nodeLink, { force: true })
  symlinkSync(needsPinnedNode() ? relative(dirname(nodeLink), pinnedNode) : process.execPath, nodeLink)
}

/** Empty packages that node-llama-cpp finds instead of CUDA's. Without them, it finds those of `tools/cuda`. */
const cudaStandIns = join(modules, "node-llama-cpp", "node_modules", "@node-llama-cpp")

/** Large unused parts of packages: Node's headers, languages other than Python, and engines for other processors. */
function unusedParts() {
  const languages = join(modules, "@runno", "sandbox", "dist", "langs")
  const engines = join(modules, "@node-llama-cpp")
  const inFolder = (directory, isUnused) =>
    existsSync(directory)
      ? readdirSync(directory)
          .filter(isUnused)
          .map((name) => join(directory, name))
      : []
  return [
    join(modules, pinnedNodePackage, "include"),
    ...inFolder(languages, (name) => !/^python-.*\.wasm$/.test(name)),
    // They are also installed on x64, for building packages of other systems. Here, each system builds its own.
    ...(process.arch === "x64" ? inFolder(engines, (name) => /arm/.test(name)) : []),
  ]
}

/**
 * The npm command. Versions before 10, such as Debian's, don't understand this lockfile, so a suitable version is downloaded and checked
 * against its hash.
 */
export function usableNpm() {
  const version = spawnSync("npm", ["--version"], {
    shell: process.platform === "win32",
    encoding: "utf8",
  }).stdout
  if (Number.parseInt(version) >= 10) return ["npm"]
  const directory = join(root, "out", "npm")
  const program = join(directory, "node_modules/npm/bin/npm-cli.js")
  if (!existsSync(program)) {
    mkdirSync(directory, { recursive: true })
    run("npm", ["pack", `npm@${ownNpm.version}`, "--pack-destination", directory, "--loglevel=error"])
    const archive = join(directory, `npm-${ownNpm.version}.tgz`)
    const hash = createHash("sha512").update(readFileSync(archive)).digest("base64")
    if (hash !== ownNpm.sha512) {
      say(`The registry's npm ${ownNpm.version} isn't the expected one: its SHA-512 is ${hash}.`)
      process.exit(1)
    }
    run("npm", ["install", "--prefix", directory, "--no-audit", "--no-fund", "--loglevel=error", archive])
  }
  const paths = [process.execPath, program]
  return process.platform === "win32" ? paths.map((path) => `"${path}"`) : paths
}

const ownNpm = {
  version: "10.9.4",
  sha512: "OnUG836FwboQIbqtefDNlyR0gTHzIfwRfE3DuiNewBvnMnWEpB0VEXwBlFVgqpNzIgYo/MHh3d2Hel/pszapAA==",
}

/** Names of the installed packages whose installation scripts may run. */
function packagesWithScripts() {
  const { allowScripts } = readJson("package.json")
  return Object.keys(allowScripts).filter((name) => allowScripts[name] && existsSync(join(modules, name)))
}

const readJson = (path) => JSON.parse(readFileSync(join(root, path), "utf8"))

/** Builds the page, box and desktop shell if a source is newer than the last build. */
export function ensureBuilt() {
  const hash = createHash("sha256")
  for (const name of ["src", "electron.vite.config.ts", "package-lock.json"]) addTimes(hash, join(root, name))
  const state = hash.digest("hex")
  if (read(builtStamp) === state) return
  say("Building Casella (a few seconds) …")
  run("electron-vite", ["build", "--logLevel", "error"])
  mkdirSync(dirname(builtStamp), { recursive: true })
  writeFileSync(builtStamp, state)
}

const wholeBrowsers = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "Google Chrome",
  "Chromium",
  "chrome.exe",
]
/** Chromium without windows: the same engine with a third of the processor time. */
const shells = ["chromium-headless-shell", "chrome-headless-shell"]

/**
 * Installs browsers for the end-to-end tests. The headless shell is preferred; a full browser is used if apt can't install that. One
 * journey needs a full browser, because only that prefetches, and is skipped without one.
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
  // Retries a failed update, because an old package list has an old Chromium, in which widgets don't run while the box is local-only.
  if (tryRun("apt-get", ["update", ...quickly]) !== 0) tryRun("apt-get", ["update", "-qq"])
  if (tryRun("apt-get", ["install", "-y", ...quickly, shells[0], "chromium"]) === 0 || findBrowser()) return
  run("apt-get", ["install", "-y", ...quickly, "chromium"])
}

/** Path of a Chromium or Chrome, or undefined. */
export function findBrowser() {
  return process.env.CHROMIUM_PATH || findProgram([...wholeBrowsers, ...shells])
}

/** Path of a full Chromium or Chrome, not a headless shell, or undefined. */
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

/** Adds the source files and their modification times. Tests and their helpers aren't built. */
function addTimes(hash, path) {
  const stats = statSync(path)
  if (!stats.isDirectory()) return void hash.update(`${path}\n${stats.mtimeMs}\n`)
  const names = readdirSync(path).filter((name) => name !== "testing" && !/\.test\.tsx?$/.test(name))
  for (const name of names.toSorted()) addTimes(hash, join(path, name))
}

/** Reports whether the model engine can use CUDA on this computer, and what is missing if it can't. */
function checkCuda() {
  const program = `
    const { getLlama } = await import("node-llama-cpp")
    try {
      const llama = await getLlama({ gpu: "cuda", build: "never", skipDownload: true, progressLogs: false })
      console.error("CUDA works, on " + (await llama.getGpuDeviceNames()).join(", ") + ".")
    } catch (error) {
      console.error("CUDA's parts are installed, but they can't be used here: " + error.message)
      console.error("They need an NVIDIA card with its driver, and CUDA's runtime (libcudart and libcublas), version 12.4 or newer.")
    }`
  spawnSync(nodeProgram(), ["--input-type=module", "--eval", program], {
    cwd: root,
    env: environment(),
    stdio: ["ignore", "ignore", "inherit"],
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const flags = process.argv.slice(2)
  const unknown = flags.filter((flag) => flag !== "--dev" && flag !== "--cuda")
  if (unknown.length > 0) {
    say(`Unknown: ${unknown.join(", ")}. There are: --dev (tests and tools), --cuda (for NVIDIA cards).`)
    process.exit(2)
  }
  const cuda = flags.includes("--cuda")
  if (cuda && !["linux-x64", "win32-x64"].includes(`${process.platform}-${process.arch}`)) {
    say("There is CUDA for Linux and Windows on x64 only.")
    process.exit(1)
  }
  ensureInstalled({ tools: flags.includes("--dev"), cuda })
  ensureBuilt()
  if (cuda) checkCuda()
}
