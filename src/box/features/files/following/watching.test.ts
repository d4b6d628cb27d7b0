import { execFile } from "node:child_process"
import {
  appendFile,
  chmod,
  cp,
  mkdir,
  mkdtemp,
  open,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  unlink,
  utimes,
  writeFile,
} from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { stopClock } from "../../../../shared/testing/stop-clock.ts"
import type { Client } from "../../../../shared/client/http-client.ts"
import type { FileEntry } from "../../../../shared/contract/files.ts"
import type { SocketMessage } from "../../../../shared/contract/socket.ts"
import { createKeyedLock } from "../../../core/waiting/locks.ts"
import { docxBytes } from "../../../parsers/testing/office-files.ts"
import { startFolderServer, type FolderServer } from "../../../testing/folder-server.ts"
import { createMountStore, getDevice } from "./known-directories.ts"
import { reconcile } from "./reconcile.ts"
import { createFileStore } from "../store.ts"

let server: FolderServer
let client: Client
let base: string
let root: string
let folderId: string

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "casella-watch-")))
  root = join(base, "documents")
  await mkdir(root)
  await start()
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  await rm(base, { recursive: true, force: true })
})

async function start(): Promise<void> {
  server = await startFolderServer({ dataDir: join(base, "data") })
  client = server.getClient("alice")
}

const run = promisify(execFile)

async function watch(): Promise<void> {
  folderId = (await client.folders.create({ body: { name: "Documents", folder: root } })).vector.id
}

/** Settles when `done` accepts the folder's list. It is called whenever something is pushed. */
async function listed(done: (files: FileEntry[]) => boolean): Promise<FileEntry[]> {
  const list = async () => (await client.files.list({ params: { id: folderId } })).files
  for (;;) {
    const change = nextPush()
    const files = await list()
    if (done(files)) return files
    await change
  }
}

function nextPush(type?: SocketMessage["type"]): Promise<SocketMessage> {
  return new Promise((resolve) => {
    const stop = server.listen((_userIds, message) => {
      if (type !== undefined && message.type !== type) return
      stop()
      resolve(message)
    })
  })
}

const completed = (paths: string[]) => (files: FileEntry[]) =>
  files.map(getPath).sort().join() === paths.toSorted().join() &&
  files.every((file) => file.status === "completed")
const getPath = ({ folder, name }: FileEntry) => (folder === "" ? name : `${folder}/${name}`)
const getIds = (files: FileEntry[]) => Object.fromEntries(files.map((file) => [getPath(file), file.id]))
const search = async (query: string) =>
  (await client.folders.search({ body: { query, vector: [folderId] } })).results.map(
    (passage) => passage.relativePath,
  )

describe("a watched directory", () => {
  // Catches changes that go unnoticed, new IDs for moved files, and old text that can still be found.
  test("is followed: files are added, changed, moved and removed", async () => {
    await mkdir(join(root, "sub"))
    await writeFile(join(root, "one.txt"), "apples")
    await writeFile(join(root, "sub", "two.txt"), "pears")
    await watch()
    const before = getIds(await listed(completed(["one.txt", "sub/two.txt"])))

    await writeFile(join(root, "three.txt"), "plums")
    await listed(completed(["one.txt", "sub/two.txt", "three.txt"]))
    await writeFile(join(root, "one.txt"), "cherries and figs")
    await listed((files) =>
      files.some((file) => file.name === "one.txt" && file.size === 17 && file.status === "completed"),
    )
    expect(await search("cherries")).toEqual([`${folderId}/one.txt`])
    expect(await search("apples")).toEqual([])

    await rename(join(root, "one.txt"), join(root, "sub", "renamed.txt"))
    const moved = getIds(await listed(completed(["sub/renamed.txt", "sub/two.txt", "three.txt"])))
    expect(moved["sub/renamed.txt"]).toBe(before["one.txt"])
    expect(await search("cherries")).toEqual([`${folderId}/sub/renamed.txt`])

    await rename(join(root, "sub"), join(root, "other"))
    const elsewhere = getIds(await listed(completed(["other/renamed.txt", "other/two.txt", "three.txt"])))
    expect(elsewhere["other/two.txt"]).toBe(before["sub/two.txt"])

    await rm(join(root, "other"), { recursive: true })
    await listed(completed(["three.txt"]))
    expect(await search("cherries pears")).toEqual([])
    expect(await readFile(join(root, "three.txt"), "utf8")).toBe("plums")
  })

  // Catches files that stay failed or half read because their writers pause for longer than the box waits.
  test("reads files completely after writers that paused in the middle", async () => {
    await watch()
    const letter = docxBytes("<w:p><w:r><w:t>quinces</w:t></w:r></w:p>")
    const half = letter.length >> 1
    // one continues where it was; the other reserved all its space first, as downloads do, and gets an older time at the end
    await using growing = await open(join(root, "growing.docx"), "w")
    await using filling = await open(join(root, "filling.docx"), "w")
    await growing.write(letter, 0, half)
    await filling.truncate(letter.length)
    await filling.write(letter, 0, half, 0)
    const failed = await listed(
      (files) => files.length === 2 && files.every(({ status }) => status === "failed"),
    )
    await growing.write(letter, half)
    await filling.write(letter, half, letter.length - half, half)
    await filling.utimes(new Date("2020-01-01"), new Date("2020-01-01"))
    const whole = await listed(completed(["filling.docx", "growing.docx"]))
    expect(getIds(whole)).toEqual(getIds(failed))
    expect(whole.map(({ error, attempts }) => [error, attempts])).toEqual([
      [null, 1],
      [null, 1],
    ])
    expect((await search("quinces")).toSorted()).toEqual([
      `${folderId}/filling.docx`,
      `${folderId}/growing.docx`,
    ])
  })

  // Catches a start that misses, duplicates or reads again files that changed, or didn't, while the box was off.
  test("is compared at start: moved files keep their IDs, and unchanged ones aren't read again", async () => {
    for (const name of ["a.txt", "b.txt", "c.txt", "d.txt"])
      await writeFile(join(root, name), `text of ${name}`)
    await watch()
    const before = await listed(completed(["a.txt", "b.txt", "c.txt", "d.txt"]))
    await server[Symbol.asyncDispose]()

    await rename(join(root, "a.txt"), join(root, "swap"))
    await rename(join(root, "b.txt"), join(root, "a.txt"))
    await rename(join(root, "swap"), join(root, "b.txt"))
    await mkdir(join(root, "sub"))
    await rename(join(root, "c.txt"), join(root, "sub", "c.md"))
    await unlink(join(root, "d.txt"))
    await writeFile(join(root, "e.txt"), "new")
    server = await startFolderServer({ dataDir: join(base, "data") })
    client = server.getClient("alice")
    const after = await listed(completed(["a.txt", "b.txt", "sub/c.md", "e.txt"]))
    const [idsBefore, idsAfter] = [getIds(before), getIds(after)]
    expect(idsAfter["sub/c.md"]).toBe(idsBefore["c.txt"])
    expect(new Set([idsAfter["a.txt"], idsAfter["b.txt"]])).toEqual(
      new Set([idsBefore["a.txt"], idsBefore["b.txt"]]),
    )
    expect(Object.values(idsBefore)).not.toContain(idsAfter["e.txt"])
  })

  // Catches old text that can still be found: another file of the same size and time, put there in each of the usual ways.
  test.each([
    ["moved there", (from: string, to: string) => rename(from, to)],
    ["written over it", (from: string, to: string) => run("cp", ["-p", from, to])],
    ["made anew there", (from: string, to: string) => run("install", ["-p", from, to])],
    [
      "put there while the box is off",
      async (from: string, to: string) => {
        await server[Symbol.asyncDispose]()
        await rename(from, to)
        await start()
      },
    ],
  ])("detects a different file even of the same size and time: %s", async (_, put) => {
    const [path, other] = [join(root, "letter.txt"), join(base, "other.txt")]
    for (const [name, text] of [
      [path, "about the apples"],
      [other, "about the quince"],
    ] as const) {
      await writeFile(name, text)
      await utimes(name, 1_000_000, 1_000_000)
    }
    await watch()
    const before = getIds(await listed(completed(["letter.txt"])))
    await put(other, path)
    await expect.poll(() => search("quince")).toEqual([`${folderId}/letter.txt`])
    expect(await search("apples")).toEqual([])
    expect(getIds(await listed(completed(["letter.txt"])))).toEqual(before)
  })

  // Catches documents that are read again because of a changed mode, or on a copy of their drive.
  test("doesn't read again files that were only touched or replaced by a copy", async () => {
    for (const name of ["a.txt", "b.txt"]) {
      await writeFile(join(root, name), `apples of ${name}`)
      await utimes(join(root, name), 1_000_000, 1_000_000)
    }
    await watch()
    const before = await listed(completed(["a.txt", "b.txt"]))
    const rows = async () =>
      server.db.selectFrom("files").select(["name", "revision", "changedMs"]).orderBy("name").execute()
    const first = await rows()
    await server[Symbol.asyncDispose]()
    await chmod(join(root, "a.txt"), 0o600)
    await cp(join(root, "b.txt"), join(root, "b.new"), { preserveTimestamps: true })
    await rename(join(root, "b.new"), join(root, "b.txt"))
    await start()
    const changed = async () => (await rows()).map(({ changedMs }, at) => changedMs !== first[at]?.changedMs)
    await expect.poll(changed).toEqual([true, true])
    expect((await rows()).map(({ revision }) => revision)).toEqual([1, 1])
    expect(await listed(completed(["a.txt", "b.txt"]))).toEqual(before)
  })

  // Catches files of others or hidden files being indexed, and rules that need a restart.
  test("excludes hidden files, links and what .casellaignore lists", async () => {
    await writeFile(join(base, "outside.txt"), "outside")
    await mkdir(join(base, "outside"))
    await writeFile(join(base, "outside", "deep.txt"), "outside")
    await symlink(join(base, "outside.txt"), join(root, "link.txt"))
    await symlink(join(base, "outside"), join(root, "linked"))
    for (const directory of ["node_modules", ".git", "drafts"]) {
      await mkdir(join(root, directory))
      await writeFile(join(root, directory, "x.txt"), "x")
    }
    await writeFile(join(root, "~$letter.docx"), "lock")
    await writeFile(join(root, "keep.txt"), "keep")
    await writeFile(join(root, ".casellaignore"), "# mine\n*.log\n")
    await writeFile(join(root, "noise.log"), "noise")
    await watch()
    await listed(completed(["drafts/x.txt", "keep.txt"]))
    await writeFile(join(root, ".casellaignore"), "drafts/\n")
    await listed(completed(["keep.txt", "noise.log"]))
    await expect(
      client.files.upload({
        params: { id: folderId },
        file: new Blob(["x"]),
        fileName: "x",
        relativePath: "drafts/y.txt",
      }),
    ).rejects.toMatchObject({ code: "validation" })
  })

  // Catches an upload that hides itself and all documents next to it, because files with such names mark a box's data.
  test.each(["casella.json", "sub/casella.sqlite", "casella.json/a.txt"])(
    "refuses an upload as %s",
    async (relativePath) => {
      await writeFile(join(root, "keep.txt"), "keep")
      await watch()
      const upload = { params: { id: folderId }, file: new Blob(["{}"]), fileName: "x", relativePath }
      await expect(client.files.upload(upload)).rejects.toMatchObject({ code: "validation" })
      await listed(completed(["keep.txt"]))
    },
  )

  // Catches an index that is lost because a drive was unplugged for a while.
  test("that vanishes pauses the folder and returns with its previous content", async () => {
    await writeFile(join(root, "one.txt"), "apples")
    await watch()
    const before = await listed(completed(["one.txt"]))
    const getAvailability = async () => {
      const { paused, available } = (await client.folders.read({ params: { id: folderId } })).vector
      return { paused, available }
    }
    let change = nextPush("folder") // notifications about its files may still be pending
    await rename(root, join(base, "unplugged"))
    do {
      expect(await change).toEqual({ type: "folder", vectorId: folderId })
      change = nextPush("folder")
    } while ((await getAvailability()).available) // or an earlier one about the folder
    expect(await getAvailability()).toEqual({ paused: true, available: false })
    expect((await client.files.list({ params: { id: folderId } })).total).toBe(1)
    expect(await search("apples")).toHaveLength(1)
    await expect(
      client.files.upload({ params: { id: folderId }, file: new Blob(["x"]), fileName: "x.txt" }),
    ).rejects.toMatchObject({ code: "unavailable" })
    await server.files.release(folderId)
    await rename(join(base, "unplugged"), root)
    await server.files.follow(folderId)
    expect(getIds(await listed(completed(["one.txt"])))).toEqual(getIds(before))
    expect(await getAvailability()).toEqual({ paused: false, available: true })
  })

  // Catches a missed last write, and passages of an earlier state that stay.
  test("follows a file that is written in small parts to its final state", async () => {
    await watch()
    const path = join(root, "long.txt")
    for (let part = 0; part < 300; part++) await appendFile(path, "part ")
    await appendFile(path, "finale")
    const size = (await stat(path)).size
    await listed((files) => files.some((one) => one.size === size && one.status === "completed"))
    expect(await search("finale")).toEqual([`${folderId}/long.txt`])
  })

  // Catches half-written files being indexed.
  test("waits with a file that was written a moment ago", async () => {
    await watch()
    await client.folders.update({ params: { id: folderId }, body: { paused: true } })
    const path = join(root, "growing.txt")
    const ignored = () => undefined
    const reconciling = {
      store: createFileStore(server.db),
      mounts: createMountStore(server.db),
      lock: createKeyedLock(),
      onChanged: ignored,
      onReplaced: ignored,
      onRemoved: ignored,
    }
    const device = await getDevice(root)
    const known = { accepted: 0, state: "trusted", removedLately: 0, left: [] } as const
    const options = { ...known, paths: [""], device, maxRemoved: Infinity, former: () => undefined }
    const scan = async () => {
      const folder = { id: folderId, path: root, managed: false }
      return (await reconcile(reconciling, folder, options, new AbortController().signal)).rescanPaths
    }
    const total = async () => (await client.files.list({ params: { id: folderId } })).total
    stopClock()
    const now = new Date()
    await writeFile(path, "half")
    await utimes(path, now, now)
    expect([await scan(), await total()]).toEqual([["growing.txt"], 0])
    const past = new Date(Date.now() - 10_000)
    await utimes(path, past, past)
    expect([await scan(), await total()]).toEqual([[], 1])
    await appendFile(path, " and more")
    await utimes(path, now, now)
    expect([await scan(), await total()]).toEqual([["growing.txt"], 1])

    // Catches reading that restarts forever because a parser gets the file under a second name.
    await utimes(path, past, past)
    await scan()
    await server.db.updateTable("files").set({ status: "processing" }).execute()
    await chmod(path, 0o600)
    expect(await scan()).toEqual(["growing.txt"])
    expect(await server.db.selectFrom("files").select("status").execute()).toEqual([{ status: "processing" }])
  })

  // Catches a scan of a larger folder that loses IDs, and files that are treated as deleted when their drive is unplugged.
  test("keeps the IDs of thousands of files through renames, and the files of an unplugged drive", async () => {
    const directories = Array.from({ length: 20 }, (_, number) => `part-${number}`)
    for (const directory of directories) {
      await mkdir(join(root, directory))
      for (let file = 0; file < 100; file++) {
        const path = join(root, directory, `${file}.txt`)
        await writeFile(path, "text")
        await utimes(path, 1_000_000, 1_000_000)
      }
    }
    const { vector } = await client.folders.create({ body: { name: "Large", folder: root } })
    folderId = vector.id
    await client.folders.update({ params: { id: folderId }, body: { paused: true } })
    const store = createFileStore(server.db)
    const ignored = () => undefined
    const device = await getDevice(root)
    const known = { accepted: 0, state: "trusted", removedLately: 0, left: [] } as const
    const options = { ...known, paths: [""], device, maxRemoved: Infinity, former: () => undefined }
    const scan = (lock = createKeyedLock()) => {
      const callbacks = { onChanged: ignored, onReplaced: ignored, onRemoved: ignored }
      const folder = { id: folderId, path: root, managed: false }
      return reconcile(
        { store, mounts: createMountStore(server.db), lock, ...callbacks },
        folder,
        options,
        new AbortController().signal,
      )
    }
    const idsByName = async () => {
      const rows = await store.under(folderId, "")
      return new Map(rows.map(({ id, subFolder, name }) => [`${subFolder}/${name}`, id]))
    }
    await scan()
    const before = await idsByName()
    expect(before.size).toBe(2_000)
    await rename(join(root, "part-3"), join(root, "part-x"))
    await rename(join(root, "part-5"), join(root, "part-6", "inner"))
    await scan()
    const after = await idsByName()
    expect(after.size).toBe(2_000)
    for (const [now, then] of [
      ["part-x/7.txt", "part-3/7.txt"],
      ["part-x/99.txt", "part-3/99.txt"],
      ["part-6/inner/0.txt", "part-5/0.txt"],
    ] as const) {
      expect(after.get(now)).toBe(before.get(then))
    }
    await rm(join(root, "part-9"), { recursive: true })
    const away = join(base, "away")
    const unplugging = { run: <T>(_key: string, work: () => Promise<T>) => rename(root, away).then(work) }
    await expect(scan(unplugging)).rejects.toMatchObject({ code: "ENOENT" })
    expect((await idsByName()).size).toBe(2_000)
    await rename(away, root)
    await scan()
    expect((await idsByName()).size).toBe(1_900)
  })

  // Catches changes by the box to the user's own files, except where the API documents them.
  test("keeps its files when the folder is deleted, and an upload adds a file to it", async () => {
    await writeFile(join(root, "mine.txt"), "mine")
    await utimes(join(root, "mine.txt"), 1_000_000, 1_000_000)
    await watch()
    await listed(completed(["mine.txt"]))
    const params = { id: folderId }
    await client.files.upload({ params, file: new Blob(["sent"]), fileName: "mine.txt" })
    const files = await listed(completed(["mine (2).txt", "mine.txt"]))
    expect(files.map((file) => file.attempts)).toEqual([1, 1])
    expect(await readFile(join(root, "mine (2).txt"), "utf8")).toBe("sent")
    await client.folders.remove({ params })
    expect(await readFile(join(root, "mine.txt"), "utf8")).toBe("mine")
    expect(await readFile(join(root, "mine (2).txt"), "utf8")).toBe("sent")
    await expect(client.folders.read({ params })).rejects.toMatchObject({ code: "not_found" })
  })
})

// Catches uploads that a crash interrupted between directory and database, and manual changes.
test("compares a managed directory at start", async () => {
  const { vector } = await client.folders.create({ body: { name: "Managed" } })
  folderId = vector.id
  const params = { id: folderId }
  await client.files.upload({ params, file: new Blob(["kept"]), fileName: ".hidden.txt" })
  await client.files.upload({ params, file: new Blob(["gone"]), fileName: "gone.txt" })
  await server[Symbol.asyncDispose]()
  await unlink(join(vector.folder, "gone.txt"))
  await writeFile(join(vector.folder, "added.txt"), "added")
  await writeFile(join(base, "data", "uploads", "early"), "half")
  server = await startFolderServer({ dataDir: join(base, "data") })
  client = server.getClient("alice")
  await listed(completed([".hidden.txt", "added.txt"]))
  // Catches the removal of an upload that arrived before folders are followed.
  expect(await readFile(join(base, "data", "uploads", "early"), "utf8")).toBe("half")
})
