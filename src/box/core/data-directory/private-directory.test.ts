import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterEach, beforeEach, expect, test } from "vitest"
import { openSqlite } from "../database/sqlite/open-sqlite.ts"
import { lockDataDirectory } from "./instance-lock.ts"
import { builtProgram } from "../../../shared/testing/built-program.ts"

const cli = builtProgram("cli")
const nobodyUid = 65_534
const processesMs = 120_000

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "private-directory-"))
  await chmod(root, 0o755) // so that the tests check the directory's own permissions
})
afterEach(() => rm(root, { recursive: true, force: true }))

const getMode = async (path: string) => (await stat(path)).mode & 0o7777
async function getDirectory(mode: number, ...files: string[]) {
  const directory = join(root, "data")
  await mkdir(directory)
  for (const file of files) {
    if (file === "casella.sqlite") await openSqlite(join(directory, file))[Symbol.asyncDispose]()
    else await writeFile(join(directory, file), "")
  }
  await chmod(directory, mode)
  return directory
}
const take = (directory: string) => lockDataDirectory(directory)?.[Symbol.dispose]()

// Catches chats that every user of the computer can read because the directory existed before the box.
test.each([
  ["an empty one that others may write into", 0o777, []],
  ["one with a database that others may read", 0o755, ["casella.sqlite"]],
  ["one of its own", 0o700, ["casella.sqlite", "models.json"]],
])("makes an existing directory private to its owner: %s", async (_, mode, files) => {
  const directory = await getDirectory(mode, ...files)
  take(directory)
  expect(await getMode(directory)).toBe(0o700)
})

// Catches a box that trusts files that others could have put there, or that removes other users' access to a directory that isn't the
// box's.
test.each([
  ["Other users can write to", 0o775, ["casella.sqlite"]],
  ["Other users can write to", 0o1777, ["something"]],
  ["contains files that aren't Casella's", 0o755, ["letters.txt"]],
])("refuses an open directory with contents: %s, %o", async (reason, mode, files) => {
  const directory = await getDirectory(mode, ...files)
  expect(() => take(directory)).toThrow(reason)
  expect(await getMode(directory)).toBe(mode)
})

test("refuses another user's directory", { tags: "root" }, async () => {
  const directory = await getDirectory(0o700)
  spawnSync("chown", [String(nobodyUid), directory])
  expect(() => take(directory)).toThrow("belongs to another user")
})

// Catches a database that another user put there while the directory was open, and can still read after it was closed.
test.each([0o700, 0o755])(
  "refuses a directory that contains another user's file: %o",
  { tags: "root" },
  async (mode) => {
    const directory = await getDirectory(mode, "casella.sqlite")
    spawnSync("chown", [String(nobodyUid), join(directory, "casella.sqlite")])
    expect(() => take(directory)).toThrow("casella.sqlite belongs to another user")
    expect(await getMode(directory)).toBe(mode)
  },
)

const children: ChildProcess[] = []
afterEach(() => children.splice(0).forEach((child) => child.kill("SIGKILL")))

/** Starts the command line with an umask that gives everyone access to new files. */
function run(...args: string[]) {
  const child = spawn("sh", ["-c", `umask 000; exec "$0" "$@"`, process.execPath, cli, ...args], {
    stdio: ["ignore", "pipe", "ignore"],
  })
  children.push(child)
  return { child, line: once(createInterface({ input: child.stdout }), "line") as Promise<[string]> }
}
async function find(directory: string, userId: number | undefined, ...tests: string[]) {
  const found = spawnSync("find", [directory, ...tests], {
    encoding: "utf8",
    ...(userId === undefined ? {} : { uid: userId, gid: userId }),
  })
  return found.stdout.split("\n").filter((line) => line !== "")
}

// Catches a database, journal, log, upload or backup that another user of the computer can open.
test(
  "hides everything that the box and its commands write from other users",
  { tags: "unix", timeout: processesMs },
  async () => {
    const data = await getDirectory(0o777)
    const backup = join(root, "all.backup")
    const box = run("--data", data, "--port", "0")
    const { url, firstRunKey } = JSON.parse((await box.line)[0]) as { url: string; firstRunKey: string }
    const headers = { "x-api-key": firstRunKey, "content-type": "application/json" }
    const folder = await fetch(`${url}/api/public/vectors`, { method: "POST", headers, body: `{"name":"x"}` })
    const { vector } = (await folder.json()) as { vector: { id: string } }
    const form = new FormData()
    form.set("file", new File(["a secret"], "a.txt"))
    const target = `${url}/api/public/vectors/${vector.id}/files`
    const upload = await fetch(target, { method: "POST", headers: { "x-api-key": firstRunKey }, body: form })
    expect(upload.status).toBe(202)
    for (const args of [
      ["keys", "create", "--name", "x"],
      ["backup", backup],
    ]) {
      const { child } = run(...args, "--data", data)
      expect(await once(child, "exit")).toEqual([0, null])
    }
    const written = await find(root, undefined, "-type", "f")
    expect(written.map((path) => path.slice(root.length))).toEqual(
      expect.arrayContaining(["/all.backup", "/data/casella.sqlite", "/data/casella.sqlite-wal"]),
    )
    expect(await find(root, undefined, "-mindepth", "1", "-perm", "/077")).toEqual([])
    if (process.getuid?.() === 0) expect(await find(root, nobodyUid, "-type", "f", "-readable")).toEqual([])
  },
)
