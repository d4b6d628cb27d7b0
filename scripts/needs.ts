import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { tmpdir, userInfo } from "node:os"
import { delimiter, join } from "node:path"
import { getSystemSandbox } from "../src/box/core/children/sandbox/system-sandbox.ts"
import { findPostgres } from "../src/shared/testing/test-postgres.ts"

export interface Need {
  what: string
  /** How to provide it on a computer. */
  how: string
  /**
   * Whether this computer should have it. This uses other evidence than the check that skips tests, so that CI doesn't trust a mistaken
   * check.
   */
  expected(): boolean
}

const root = join(import.meta.dirname, "..")
const corpus = join(root, "../shared/corpus")
const cases = join(root, "../shared/cases")
const nobodyUid = 65_534

const runs = (command: string, ...args: string[]) =>
  spawnSync(command, args, { stdio: "ignore", timeout: 20_000 }).status === 0
const isInPath = (program: string) =>
  (process.env["PATH"] ?? "").split(delimiter).some((directory) => existsSync(join(directory, program)))
const isRoot = () => process.getuid?.() === 0
const isUnix = () => process.platform !== "win32"
const isLinux = () => process.platform === "linux"
const mayMount = () => isLinux() && isRoot() && runs("unshare", "--mount", "true")
/** Runs in a separate namespace, which removes its mounts when it ends. */
const mounts = (commands: string) =>
  isLinux() && isRoot() && runs("unshare", "--mount", "sh", "-ec", `cd "$0"; ${commands}`, tmpdir())
const canCreateNamespaces = () =>
  isLinux() && runs("unshare", "--user", "--map-root-user", "--net", "--mount", "true")

const rowsInFile = {
  what: "rows in a file",
  how: "run without CASELLA_TEST_DATABASE",
  expected: () => false,
}
const postgresql: Need = {
  what: "PostgreSQL",
  how: "npm run setup -- --dev, or apt-get install postgresql",
  expected: () => isLinux() && process.arch === "x64",
}

const olderNode = (path: string) =>
  /^v2[0-3]\./.test(spawnSync(path, ["--version"], { encoding: "utf8", timeout: 20_000 }).stdout ?? "")

/** Whether there is a Node too old for the project itself. */
export const findOlderNode = () =>
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((directory) => join(directory, "node"))
    .find((path) => existsSync(path) && olderNode(path))

/**
 * Requirements that some unit tests have of the computer. Tests name them as tags (`{ tags: "mount" }`) and are skipped where they aren't
 * met.
 */
export const needs: Record<string, Need & { works(): boolean }> = {
  unix: { what: "a Unix system", how: "Linux or macOS", works: isUnix, expected: isUnix },
  "older-node": {
    what: "a Node from 20 to 23 in the path",
    how: "install Debian's nodejs",
    works: () => findOlderNode() !== undefined,
    expected: () => existsSync("/usr/bin/node") && olderNode("/usr/bin/node"),
  },
  linux: { what: "Linux", how: "no other system will do", works: isLinux, expected: isLinux },
  root: {
    what: "root",
    how: "run as root",
    works: isRoot,
    expected: () => userInfo().username === "root",
  },
  mount: {
    what: "the right to mount",
    how: "run as root, in no container without rights",
    works: () => mounts("mount -t tmpfs tmpfs ."),
    expected: mayMount,
  },
  overlay: {
    what: "overlay file systems",
    how: "run as root, with Linux' module for them",
    works: () =>
      mounts(
        'mount -t tmpfs tmpfs .; cd "$PWD"; mkdir l u w a; mount -t overlay -o lowerdir=l,upperdir=u,workdir=w overlay a',
      ),
    expected: () => mayMount() && readFileSync("/proc/filesystems", "utf8").includes("\toverlay\n"),
  },
  "other-user": {
    what: "a user who isn't root and may read this checkout",
    how: "give others the right to read it",
    works: () => isUnix() && (!isRoot() || isProtectedFromNobody(join(root, "src/box/cli.ts"))),
    expected: () => isUnix() && (!isRoot() || isProtectedFromNobody(join(root, "package.json"))),
  },
  walls: {
    what: "namespaces for child processes",
    how: "Linux whose settings let any user make them",
    works: () => getSystemSandbox().stands,
    expected: canCreateNamespaces,
  },
  script: {
    what: "util-linux' script",
    how: "apt-get install bsdutils",
    works: () => String(spawnSync("script", ["--version"]).stdout).includes("util-linux"),
    expected: () => isLinux() && isInPath("script"),
  },
  "rows-in-file": { ...rowsInFile, works: () => process.env["CASELLA_TEST_DATABASE"] !== "postgres" },
  "rows-on-server": {
    what: "rows on a server",
    how: "run with CASELLA_TEST_DATABASE=postgres",
    works: () => process.env["CASELLA_TEST_DATABASE"] === "postgres",
    expected: () => false,
  },
  postgresql: { ...postgresql, works: () => findPostgres() !== null },
  corpus: {
    what: "the corpus of documents and models",
    how: "put it at ../shared/corpus",
    works: () =>
      existsSync(join(corpus, "documents/fixtures.tsv")) &&
      existsSync(join(corpus, "models/stories260K.gguf")),
    expected: () => existsSync(corpus),
  },
  cases: {
    what: "the documents of public bug reports",
    how: "put them at ../shared/cases",
    works: () => existsSync(join(cases, "cases.tsv")),
    expected: () => existsSync(cases),
  },
  build: {
    what: "the built programs",
    how: "npm run build",
    works: () => existsSync(join(root, "out/main/main.js")),
    expected: () => true, // `npm test` builds them
  },
  python: {
    what: "Python",
    how: "apt-get install python3",
    works: () => runs("python3", "--version"),
    expected: () => isInPath("python3"),
  },
  powershell: {
    what: "PowerShell 7",
    how: "install pwsh",
    works: () => runs("pwsh", "--version"),
    expected: () => isInPath("pwsh"),
  },
}

/** Requirements of journeys, which check them and give them as the reason for a skip. */
export const journeyNeeds: Record<string, Need> = {
  postgresql,
  "rows-in-file": rowsInFile,
  network: {
    what: "a network of its own",
    how: "Linux with iproute2 that lets this user make one",
    expected: () => canCreateNamespaces() && isInPath("ip"),
  },
  "whole-browser": {
    what: "a whole Chromium, because only that looks ahead",
    how: "apt-get install chromium",
    expected: () => isInPath("chromium"),
  },
}

function isProtectedFromNobody(path: string): boolean {
  const program = `fs.accessSync(${JSON.stringify(path)})`
  const as = { uid: nobodyUid, gid: nobodyUid }
  return spawnSync(process.execPath, ["-e", program], { ...as, stdio: "ignore" }).status === 0
}
