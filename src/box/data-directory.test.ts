import { execFileSync, spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { create } from "tar"
import type { Client } from "../shared/client/http-client.ts"
import { allCommands } from "./commands/registry.ts"
import { markerFile } from "./core/data-directory/marker.ts"
import { openSqlite } from "./core/database/sqlite/open-sqlite.ts"
import { migrations } from "./core/database/migrations/registry.ts"
import { ensureTestModel } from "./engines/llama/testing/test-models.ts"
import { databasePath } from "./start/open-data.ts"
import { directoryState, mountSmallDisk } from "./testing/disk.ts"
import { startTestBox } from "./testing/test-box.ts"
import { waitFor } from "../shared/testing/wait-for.ts"

const commands = await allCommands()

let root: string
/** The original data directory, a watched directory of the user, and the new data directory. */
let first: string, documents: string, second: string
let key: string
let folder: string, followed: string, file: string

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "casella-directory-")))
  ;[first, documents, second] = [join(root, "first"), join(root, "documents"), join(root, "second")]
  await mkdir(documents)
  await writeFile(join(documents, "own.txt"), "The otter swims.")
  const box = await runIn(first)
  key = box.firstRunKey
  const client = box.client
  folder = (await client.folders.create({ body: { name: "Uploads" } })).vector.id
  followed = (await client.folders.create({ body: { name: "Followed", folder: documents } })).vector.id
  file = await upload(client, "heron.txt", "The heron stands still.")
  await mkdir(join(first, "models", "us"), { recursive: true })
  await cp(ensureTestModel(), join(first, "models", "us", "own.gguf"))
  const model = (await client.models.list()).models.find(({ name }) => name === "own")
  await client.models.choose({ body: { role: "chat", modelId: model?.id ?? "" } })
  await indexed(client)
  await waitFor(async () => expect((await client.models.state()).chat?.status).toBe("ready"))
  await box[Symbol.asyncDispose]()
  await cp(first, join(root, "kept"), { recursive: true, preserveTimestamps: true })
})
afterAll(() => rm(root, { recursive: true, force: true }))

beforeEach(async () => {
  for (const directory of [first, second]) await rm(directory, { recursive: true, force: true })
  await cp(join(root, "kept"), first, { recursive: true, preserveTimestamps: true })
})

/** Runs a box in this directory, which remains when the box ends. */
async function runIn(dataDir: string) {
  const test = await startTestBox({ dataDir })
  return {
    client: test.getClient(test.key || key),
    firstRunKey: test.key,
    [Symbol.asyncDispose]: () => test.box[Symbol.asyncDispose](),
  }
}

async function upload(client: Client, fileName: string, text: string): Promise<string> {
  const { files } = await client.files.upload({
    params: { id: folder },
    file: new Blob([text]),
    fileName,
  })
  return files[0]?.id ?? ""
}

const indexed = (client: Client) =>
  waitFor(async () => {
    for (const id of [folder, followed]) {
      const { files } = await client.files.list({ params: { id } })
      expect(files.length).toBeGreaterThan(0)
      expect(new Set(files.map(({ status }) => status))).toEqual(new Set(["completed"]))
    }
  })

const getText = async (client: Client, id: string) =>
  (await client.files.content({ params: { id: folder, fileId: id } })).text()
const found = async (client: Client, query: string) =>
  (await client.folders.search({ body: { query, vector: [folder, followed] } })).results.length
const getMarker = async (directory: string) =>
  JSON.parse(await readFile(join(directory, markerFile), "utf8")) as { id: string; place: string }
const getLog = async (directory: string) => {
  const names = await readdir(join(directory, "logs"))
  return (await Promise.all(names.map((name) => readFile(join(directory, "logs", name), "utf8")))).join("")
}
const news = async (client: Client) =>
  (await client.notifications.list({ query: {} })).notifications.flatMap((one) =>
    one.news?.kind === "data_moved" ? [one.news] : [],
  )

/** The last schema without relative paths. */
const olderSchema = 24
/** Triggers fill these tables. */
const filledByTriggers = new Set(["namedFiles", "searchedMessages"])

/** Converts the data to the format of a Casella without relative paths and markers. */
async function makeOlder(directory: string): Promise<void> {
  const path = databasePath(directory)
  await rename(path, `${path}.newer`)
  await openSqlite(path, migrations.slice(0, olderSchema))[Symbol.asyncDispose]()
  const sqlite = new SqliteDatabase(path)
  sqlite.pragma("foreign_keys = OFF")
  sqlite.prepare("ATTACH ? AS newer").run(`${path}.newer`)
  const tables = sqlite.pragma("main.table_list") as { schema: string; name: string; type: string }[]
  for (const { schema, name, type } of tables) {
    if (schema !== "main" || type !== "table" || name.startsWith("sqlite_") || filledByTriggers.has(name))
      continue
    const columns = (sqlite.pragma(`main.table_info("${name}")`) as { name: string }[]).map(
      (column) => column.name,
    )
    sqlite.exec(
      `INSERT INTO main."${name}" (${columns.join()}) SELECT ${columns.join()} FROM newer."${name}"`,
    )
  }
  sqlite.prepare("UPDATE folders SET path = ? || '/' || path WHERE managed = 1").run(directory)
  sqlite
    .prepare("UPDATE settings SET value = ? WHERE key = 'chatModel'")
    .run(JSON.stringify(join(directory, "models/us/own.gguf")))
  sqlite.close()
  await rm(`${path}.newer`)
  await rm(join(directory, markerFile))
}

async function expectAllThere(client: Client, directory: string): Promise<void> {
  const { vector } = await client.folders.read({ params: { id: folder } })
  expect(relative(directory, vector.folder)).toBe(join("folders", folder))
  expect(await getText(client, file)).toBe("The heron stands still.")
  await waitFor(async () => expect(await found(client, "heron")).toBe(1))
  const { models, choice } = await client.models.list()
  expect(models.map((model) => [model.id, model.kind === "local" && model.path])).toEqual([
    [choice.chat.chosenId, join(directory, "models", "us", "own.gguf")],
  ])
}

// Catches uploads or deletions that are redirected through a link into another directory.
it.each(["uploads", "tmp", "trash", "chat-files", "backups", "models", "avatars", "snapshots"])(
  "A box stores nothing while %s in its data directory is a link, and continues when it is restored",

  async (name) => {
    const [own, outside] = [join(first, name), await mkdtemp(join(root, "outside-"))]
    const aside = join(await mkdtemp(join(root, "aside-")), name)
    await using box = await runIn(first)
    await mkdir(own, { recursive: true })
    await rename(own, aside)
    await symlink(outside, own)
    const refused = {
      code: "unavailable",
      message: expect.stringContaining("was replaced by a symbolic link") as string,
    }
    const { client } = box
    await expect(upload(client, "stork.txt", "The stork flies.")).rejects.toMatchObject(refused)
    await expect(client.files.remove({ params: { id: folder, fileId: file } })).rejects.toMatchObject(refused)
    await expect(client.storage.startBackup()).rejects.toMatchObject(refused)
    expect((await client.files.list({ params: { id: folder } })).total).toBe(1)
    expect(await readdir(outside)).toEqual([])
    await rm(own)
    await rename(aside, own)
    await upload(client, "stork.txt", "The stork flies.")
    // the log is written in the background
    await waitFor(async () =>
      expect((await getLog(first)).split("so nothing is stored. Put the directory back")).toHaveLength(2),
    )
  },
)

// Catches data or trash that is stored on a drive mounted over one of the box's directories, and that is lost with it. Also catches a drive
// that was mounted from the start and is treated in the same way.
it.for(["folders", "trash", "chat-files", "models"])(
  "A box stores nothing while a different drive than at its start is mounted at %s in its data directory",
  { tags: "mount" },
  async (name) => {
    await using stack = new AsyncDisposableStack()
    const [drive, other] = [stack.use(await mountSmallDisk("64m")), stack.use(await mountSmallDisk("4m"))]
    const own = join(first, name)
    await mkdir(own, { recursive: true })
    stack.defer(() => {
      while (spawnSync("umount", ["-l", own]).status === 0); // if the test failed
    })
    const plug = (from: string) => execFileSync("mount", ["--bind", from, own])
    const unplug = () => execFileSync("umount", ["-l", own])
    await cp(own, drive.path, { recursive: true })
    plug(drive.path)
    {
      await using box = await runIn(first)
      const { client } = box
      await upload(client, "stork.txt", "The stork flies.")
      const refused = {
        code: "unavailable",
        message: expect.stringContaining("is now on another drive") as string,
      }
      const expectNothingTaken = async () => {
        await expect(client.folders.create({ body: { name: "New" } })).rejects.toMatchObject(refused)
        await expect(upload(client, "swan.txt", "The swan swims.")).rejects.toMatchObject(refused)
        await expect(client.files.remove({ params: { id: folder, fileId: file } })).rejects.toMatchObject(
          refused,
        )
      }
      plug(other.path)
      await expectNothingTaken()
      unplug()
      await upload(client, "swan.txt", "The swan swims.")
      unplug()
      await expectNothingTaken()
      plug(drive.path)
      await client.folders.create({ body: { name: "New" } })
      expect((await client.files.list({ params: { id: folder } })).total).toBe(3)
      expect(await readdir(other.path)).toEqual([])
    }
    unplug()
  },
)

describe("A moved data directory", () => {
  // Catches folders that keep their old location, so that all documents are treated as deleted.
  it("works with all its contents, and its owner is notified once", async () => {
    await rename(first, second)
    {
      await using box = await runIn(second)
      await expectAllThere(box.client, second)
      expect(await news(box.client)).toEqual([{ kind: "data_moved", from: first, to: second }])
    }
    await using box = await runIn(second)
    expect(await news(box.client)).toHaveLength(1)
    expect((await getMarker(second)).place).toBe(second)
  })

  // Catches an update of Casella after the move that breaks the data.
  it("works if it was moved under an earlier Casella", async () => {
    await makeOlder(first)
    await rename(first, second)
    await using box = await runIn(second)
    await expectAllThere(box.client, second)
  })
})

// Catches uploads that are acknowledged but missing in the moved directory, and an old path that is recreated or a copy that is changed.
describe.each([["nothing"], ["a copy"], ["an empty directory"]])(
  "A data directory that is moved while its box runs, with %s in its place,",
  (replacement) => {
    it("stores nothing until it is back, but is readable", async () => {
      const box = await runIn(first)
      await rename(first, second)
      if (replacement === "a copy") await cp(second, first, { recursive: true })
      if (replacement === "an empty directory") await mkdir(first)
      const before = existsSync(first) ? await directoryState(first) : null
      const { client } = box
      const refused = {
        code: "unavailable",
        message: expect.stringContaining("was moved or replaced") as string,
      }
      await expect(upload(client, "stork.txt", "The stork flies.")).rejects.toMatchObject(refused)
      await expect(client.folders.create({ body: { name: "Another" } })).rejects.toMatchObject(refused)
      await expect(client.files.remove({ params: { id: folder, fileId: file } })).rejects.toMatchObject(
        refused,
      )
      expect((await client.files.list({ params: { id: folder } })).total).toBe(1)
      if (replacement === "nothing") {
        await rename(second, first)
        await upload(client, "stork.txt", "The stork flies.")
        await rename(first, second)
      }
      await box[Symbol.asyncDispose]()
      expect(existsSync(first) ? await directoryState(first) : null).toEqual(before)
      expect(await getLog(second)).toContain("Move it back, or restart Casella with --data")
      await using again = await runIn(second)
      await indexed(again.client)
      const { files } = await again.client.files.list({ params: { id: folder } })
      const expected = replacement === "nothing" ? ["heron.txt", "stork.txt"] : ["heron.txt"]
      expect(files.map(({ name }) => name)).toEqual(expected)
    })
  },
)

// Catches an older backup that is restored elsewhere and works on the files at its original location.
it("A backup of an earlier Casella works only within the directory of the restore", async () => {
  await makeOlder(first)
  const backup = join(root, "older.tgz")
  await create({ file: backup, cwd: first, gzip: true }, ["casella.sqlite", "folders"])
  const before = await directoryState(first)
  await commands.find(({ words }) => words[0] === "restore")?.run({ data: second }, [backup])
  {
    await using box = await runIn(second)
    expect(await getText(box.client, file)).toBe("The heron stands still.")
    await box.client.files.remove({ params: { id: folder, fileId: file } })
    await box.client.folders.remove({ params: { id: folder } })
  }
  expect(await directoryState(first)).toEqual(before)
})

describe("A copied data directory", () => {
  /** Performs every operation that changes files, in the copy. */
  async function work(client: Client): Promise<void> {
    const more = await upload(client, "more.txt", "A magpie.")
    await client.files.replace({
      params: { id: folder, fileId: file },
      file: new Blob(["Another bird."]),
      fileName: "heron.txt",
    })
    await client.files.remove({ params: { id: folder, fileId: more } })
    const model = (await client.models.list()).models[0]
    await client.models.choose({ body: { role: "chat", modelId: null } })
    await client.models.remove({ params: { modelId: model?.id ?? "" } })
    await client.folders.remove({ params: { id: folder } })
    await client.storage.emptyTrash()
  }

  // Catches a box that is tested on a copy and removes documents from the original.
  it.each([
    ["by this Casella", () => Promise.resolve()],
    ["by an earlier one", makeOlder],
  ])("works only within itself: %s", async (_, prepare) => {
    await prepare(first)
    await cp(first, second, { recursive: true, preserveTimestamps: true })
    const before = await directoryState(first)
    {
      await using box = await runIn(second)
      await expectAllThere(box.client, second)
      expect(await found(box.client, "otter")).toBe(1)
      await work(box.client)
      expect(await news(box.client)).toEqual([])
    }
    expect(await directoryState(first)).toEqual(before)
    expect(await readFile(join(documents, "own.txt"), "utf8")).toBe("The otter swims.")
    await using box = await runIn(first)
    await expectAllThere(box.client, first)
    expect((await getMarker(first)).id).not.toBe((await getMarker(second)).id)
  })

  // Catches a box that writes to the database of a copy, or of the original, through their shared inode.
  it("is refused if it consists of hard links, even after the original was moved", async () => {
    spawnSync("cp", ["-al", first, second])
    const before = await directoryState(first)
    await expect(runIn(second)).rejects.toThrow("copied from the other as hard links")
    expect(await directoryState(first)).toEqual(before)
    const moved = join(root, "moved")
    await rename(first, moved)
    const after = await directoryState(moved)
    await expect(runIn(second)).rejects.toThrow("copied from the other as hard links")
    expect(await directoryState(moved)).toEqual(after)
    await rm(moved, { recursive: true })
  })

  // Catches a document that is deleted in a copy and disappears from the original too.
  it.each(["folders", "trash", "the directory of one folder"])(
    "is refused if %s is a symbolic link",
    async (what) => {
      const linked = what.startsWith("the") ? join("folders", folder) : what
      await mkdir(join(first, linked), { recursive: true })
      await rename(join(first, linked), join(root, "elsewhere"))
      await symlink(join(root, "elsewhere"), join(first, linked))
      await cp(first, second, { recursive: true, verbatimSymlinks: true })
      const before = await directoryState(join(root, "elsewhere"))
      await expect(runIn(second)).rejects.toThrow(`${join(second, linked)} is a symbolic link`)
      expect(await directoryState(join(root, "elsewhere"))).toEqual(before)
      await rm(join(root, "elsewhere"), { recursive: true })
    },
  )
})
