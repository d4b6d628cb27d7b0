import { execFileSync } from "node:child_process"
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createClient, type Client } from "../../../../shared/client/http-client.ts"
import { waitFor } from "../../../../shared/testing/wait-for.ts"
import { type BoxProcess, killsItself, startFaultyBox } from "../../../testing/box-process.ts"
import { mountSmallDisk } from "../../../testing/disk.ts"
import { startTestBox, type TestBox } from "../../../testing/test-box.ts"

/** The name of a file that was moved aside. */
const aside = /\.casella-aside-[^/]+$/

let dataDir: string
let box: BoxProcess
let restarted: TestBox | undefined
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "casella-cut-replace-"))
})
afterEach(async () => {
  if (box.child.signalCode === null) await box.stop("SIGKILL")
  await restarted?.[Symbol.asyncDispose]() // removes its directory
  restarted = undefined
  await rm(dataDir, { recursive: true, force: true })
})

// Catches a replacement under another name, cut by a crash, that leaves both documents or none, or permanently loses one.
it.each([
  ["after the new file has its name", "after", "link", "new.txt", "old.txt"],
  ["before the old file goes", "before", "rename", "old.txt", "new.txt"],
  ["while the old file goes", "after", "rename", "old.txt", "new.txt"],
] as const)("leaves one document if a replacement is cut %s", async (_, when, call, argument, expected) => {
  box = await startFaultyBox(killsItself(when, call, argument), dataDir)
  const key = box.firstRunKey ?? ""
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
  const { vector } = await client.folders.create({ body: { name: "Handbook" } })
  const params = { id: vector.id }
  const uploaded = await client.files.upload({ params, file: new Blob(["old"]), fileName: "old.txt" })
  const fileId = uploaded.files[0]?.id ?? ""
  await expect(
    client.files.replace({ params: { ...params, fileId }, file: new Blob(["new"]), fileName: "new.txt" }),
  ).rejects.toMatchObject({ code: "unavailable" })

  restarted = await startTestBox({ dataDir })
  const { files } = restarted.getClient(key)
  await expect
    .poll(async () => (await files.list({ params })).files.map(({ id, name, status }) => [id, name, status]))
    .toEqual([[fileId, expected, "completed"]])
  expect(await readdir(vector.folder)).toEqual([expected])
  expect(await (await files.content({ params: { ...params, fileId } })).text()).toBe(expected.slice(0, 3))
  const gone = expected === "new.txt" ? "old.txt" : "new.txt"
  const inTrash = await readdir(join(dataDir, "trash"), { recursive: true })
  expect(inTrash.map((path) => basename(path))).toContain(gone)
})

// Catches a document that is listed and found although its bytes are in the trash, or whose words stay in the database.
it("completes a deletion at the next start if it was cut after its file was removed", async () => {
  const word = "zanzibarquux"
  const { key, params, folder } = await cutDeletion(
    killsItself("after", "unlink", aside),
    `${word} `.repeat(500),
  )
  restarted = await startTestBox({ dataDir })
  const { files, storage } = restarted.getClient(key)
  await expect.poll(async () => (await files.list({ params })).total).toBe(0)
  expect(await readdir(folder)).toEqual([])
  await storage.emptyTrash()
  await restarted.box[Symbol.asyncDispose]()
  expect((await readFile(join(dataDir, "casella.sqlite"))).includes(word)).toBe(false)
  const left = await readdir(join(dataDir, "trash"), { recursive: true })
  expect(left.filter((name) => name.includes("secret"))).toEqual([])
})

/** Starts a faulty box that follows a user's own directory with old.txt in it. The script receives the path of that file. */
async function followOwnDirectory(
  script: (path: string) => string,
  prepare: (directory: string) => void = () => undefined,
) {
  const directory = join(dataDir, "..", `${basename(dataDir)}-own`)
  await mkdir(directory)
  prepare(directory)
  await writeFile(join(directory, "old.txt"), "old")
  box = await startFaultyBox(script(join(directory, "old.txt")), dataDir)
  const key = box.firstRunKey ?? ""
  const { files, folders } = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
  const { vector } = await folders.create({ body: { name: "Documents", folder: directory } })
  const params = { id: vector.id }
  const first = async () => (await files.list({ params })).files[0]
  await expect.poll(async () => (await first())?.status).toBe("completed")
  const fileId = (await first())?.id ?? ""
  const end = () => rm(directory, { recursive: true, force: true })
  return { directory, key, files, folders, params, fileId, [Symbol.asyncDispose]: end }
}

// Catches a user's own file that the next start deletes because it has a name that the box was about to assign or remove.
it.each([
  ["before the new file has its name", "before", "link", "new.txt", { "new.txt": "mine", "old.txt": "old" }],
  ["after the new file has its name", "after", "link", "new.txt", { "new.txt": "mine", "old.txt": "old" }],
  ["before the old file goes", "before", "rename", "old.txt", { "new.txt": "new", "old.txt": "mine" }],
  ["while the old file goes", "after", "rename", "old.txt", { "new.txt": "new", "old.txt": "mine" }],
] as const)(
  "keeps a user's file saved after a replacement is cut %s",
  async (_, when, call, argument, expected) => {
    await using cut = await followOwnDirectory(() => killsItself(when, call, argument))
    const params = { ...cut.params, fileId: cut.fileId }
    await expect(
      cut.files.replace({ params, file: new Blob(["new"]), fileName: "new.txt" }),
    ).rejects.toMatchObject({ code: "unavailable" })
    const saved = join(cut.directory, argument)
    await writeFile(`${saved}.saving`, "mine")
    await rename(`${saved}.saving`, saved) // as editors do

    restarted = await startTestBox({ dataDir })
    const { files } = restarted.getClient(cut.key)
    const listed = async () => (await files.list({ params: cut.params })).files
    const names = async () => (await listed()).map(({ name, status }) => `${name} ${status}`).toSorted()
    await expect.poll(names).toEqual(["new.txt completed", "old.txt completed"])
    const text = async (name: string) => [name, await readFile(join(cut.directory, name), "utf8")] as const
    expect(Object.fromEntries(await Promise.all((await readdir(cut.directory)).map(text)))).toEqual(expected)
  },
)

// Catches a document that stays hidden forever because a start without its drive took the empty mount point for the drive.
it.for([
  ["replaced", "at the next start"],
  ["renamed", "at the next start"],
  ["deleted", "at the next start"],
  ["renamed", "while the box runs"],
] as const)(
  "brings back a file that was being %s on a drive when the drive returns %s",
  { tags: "mount" },
  async ([change, when]) => {
    await using drive = await mountSmallDisk("4m")
    const mount = (directory: string) => void execFileSync("mount", ["--bind", drive.path, directory])
    await using cut = await followOwnDirectory(() => killsItself("after", "rename", aside), mount)
    using stack = new DisposableStack()
    stack.defer(() => void execFileSync("umount", ["-l", cut.directory]))
    const params = { ...cut.params, fileId: cut.fileId }
    const fileName = change === "renamed" ? "new.txt" : "old.txt"
    const asked =
      change === "deleted"
        ? cut.files.remove({ params })
        : cut.files.replace({ params, file: new Blob(["new"]), fileName })
    await expect(asked).rejects.toMatchObject({ code: "unavailable" })

    execFileSync("umount", ["-l", cut.directory])
    restarted = await startTestBox({ dataDir })
    const { folders } = restarted.getClient(cut.key)
    const state = async () => (await folders.read({ params: cut.params })).vector
    await expect.poll(async () => (await state()).available).toBe(false)
    mount(cut.directory)
    if (when === "at the next start") await restarted.restart()
    const listed = async () =>
      (await restarted?.getClient(cut.key).files.list({ params: cut.params }))?.files.map(
        ({ id, name, status }) => [id, name, status],
      )
    const there = async () =>
      (await readdir(cut.directory)).filter((name) => !name.startsWith(".casella-partial-")) // removed at a start
    await expect.poll(there).toEqual([fileName])
    await expect.poll(listed).toEqual([[cut.fileId, fileName, "completed"]])
  },
)

/** Saves another version of old.txt, as editors do, before or after the box first calls a function with matching paths. */
const savesItself = (path: string, when: "before" | "after", call: string, argument: RegExp) => `
import fs from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
const real = fs[${JSON.stringify(call)}]
const { rename } = fs
let isSaved = false
const save = async () => {
  isSaved = true
  await fs.writeFile(${JSON.stringify(`${path}.saving`)}, "mine")
  await rename(${JSON.stringify(`${path}.saving`)}, ${JSON.stringify(path)})
}
fs[${JSON.stringify(call)}] = async (...args) => {
  const isMeant = !isSaved && ${String(argument)}.test(args.join(" "))
  if (isMeant && ${JSON.stringify(when)} === "before") await save()
  const result = await real(...args)
  if (isMeant && ${JSON.stringify(when)} === "after") await save()
  return result
}
syncBuiltinESMExports()
`
// Catches a version that is saved while its file is being deleted or replaced, and that is lost without being in the trash.
describe.each(["deleted", "replaced", "renamed"])("saving a file while it is %s", (change) => {
  it.each([
    ["once its bytes are kept", "after", "link", /old\.txt /, "conflict"],
    ["just before it is out of the way", "before", "rename", /old\.txt .*aside/, "conflict"],
    [
      "while it is out of the way",
      "after",
      "rename",
      /old\.txt .*aside/,
      change === "replaced" ? "conflict" : "done",
    ],
  ] as const)("keeps the saved version: %s", async (_, when, call, paths, expected) => {
    await using own = await followOwnDirectory((path) => savesItself(path, when, call, paths))
    const params = { ...own.params, fileId: own.fileId }
    const fileName = change === "renamed" ? "new.txt" : "old.txt"
    const asked =
      change === "deleted"
        ? own.files.remove({ params })
        : own.files.replace({ params, file: new Blob(["new"]), fileName })
    const outcome = await asked.then(
      () => "done",
      ({ code }: { code: string }) => code,
    )
    expect(outcome).toBe(change === "renamed" ? "done" : expected)
    expect(await readFile(join(own.directory, "old.txt"), "utf8")).toBe("mine")
    expect((await readdir(own.directory)).toSorted()).toEqual([...new Set([fileName, "old.txt"])])
  })
})

// Catches old bytes that are put back over a version saved while the database refused a change.
it.each([
  ["deletion", "UPDATE OF folderId ON files"],
  ["replacement", "UPDATE OF revision ON files"],
])("doesn't overwrite a version saved in the meantime after a refused %s", async (change, write) => {
  await using own = await followOwnDirectory((path) => savesItself(path, "after", "unlink", aside))
  const database = new SqliteDatabase(join(dataDir, "casella.sqlite"))
  database.exec(`CREATE TRIGGER refusal BEFORE ${write} BEGIN SELECT RAISE(ABORT, 'no room'); END`)
  database.close()
  const params = { ...own.params, fileId: own.fileId }
  await expect(
    change === "deletion"
      ? own.files.remove({ params })
      : own.files.replace({ params, file: new Blob(["new"]), fileName: "old.txt" }),
  ).rejects.toMatchObject({ code: "internal" })
  expect(await readdir(own.directory)).toEqual(["old.txt"])
  expect(await readFile(join(own.directory, "old.txt"), "utf8")).toBe("mine")
})

/** Takes SQLite's lock permanently after a file that was moved aside is removed, and writes down what its path then contains. */
const locksItself = (path: string) => `
import fs from "node:fs/promises"
import { createRequire, syncBuiltinESMExports } from "node:module"
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3")
const real = fs.unlink
fs.unlink = async (path) => {
  await real(path)
  if (globalThis.holder || !${String(aside)}.test(path)) return
  globalThis.holder = new Database(${JSON.stringify(join(dataDir, "casella.sqlite"))})
  globalThis.holder.exec("BEGIN IMMEDIATE")
  const content = await fs.readFile(${JSON.stringify(path)}).catch(() => "gone")
  await fs.writeFile(${JSON.stringify(join(dataDir, "seen.part"))}, content)
  await fs.rename(${JSON.stringify(join(dataDir, "seen.part"))}, ${JSON.stringify(join(dataDir, "seen"))})
}
syncBuiltinESMExports()
`

// Catches a refused change that cleans up before it is answered and so waits for the lock twice as long.
it.each(["deletion", "replacement"])(
  "waits only once for another program's lock during a %s",
  async (change) => {
    await using own = await followOwnDirectory(locksItself)
    const params = { ...own.params, fileId: own.fileId }
    const code = ({ code }: { code: string }) => code
    const asked = (
      change === "deletion"
        ? own.files.remove({ params })
        : own.files.replace({ params, file: new Blob(["new"]), fileName: "old.txt" })
    ).then(() => "done", code)
    const seen = await waitFor(() => readFile(join(dataDir, "seen"), "utf8"))
    expect(seen).toBe(change === "deletion" ? "gone" : "new")
    await own.folders.create({ body: { name: "Later" } }).catch(code) // refused no earlier than the first request
    const reads = async () => {
      for (let count = 0; count < 300; count++) await own.files.list({ params: own.params })
      return "still waiting"
    }
    expect(await Promise.race([asked, reads()])).toBe("unavailable")
    expect(await readFile(join(own.directory, "old.txt"), "utf8")).toBe("old")
  },
)

// Catches a deletion that a later start carries out although its caller may have received an error.
it.each([
  ["before its file is out of the way", killsItself("before", "rename", "secret.txt")],
  ["once its file is out of the way", killsItself("after", "rename", "secret.txt")],
  ["before its file goes", killsItself("before", "unlink", aside)],
])("keeps the file if a deletion is cut %s", async (_, fault) => {
  const { key, params, fileId, folder } = await cutDeletion(fault, "walrus")
  restarted = await startTestBox({ dataDir })
  const { files } = restarted.getClient(key)
  expect(await (await files.content({ params: { ...params, fileId } })).text()).toBe("walrus")
  await restarted.restart()
  expect((await restarted.getClient(key).files.list({ params })).files).toMatchObject([
    { id: fileId, status: "completed" },
  ])
  expect(await readdir(folder)).toEqual(["secret.txt"])
})

// Catches a file that is lost because the box was killed after its bytes were moved and before their destination was stored.
it("restores the file if a move is cut after the file is gone", async () => {
  const fault = killsItself("after", "unlink", aside)
  const { key, params, fileId, folder } = await cutChange(fault, "walrus", async (client, _, fileId) =>
    client.filing.file({ body: { action: "rename", fileId, name: "other.txt" } }),
  )
  restarted = await startTestBox({ dataDir })
  const { files } = restarted.getClient(key)
  expect((await files.list({ params })).files).toMatchObject([
    { id: fileId, name: "secret.txt", status: "completed" },
  ])
  expect(await readdir(folder)).toEqual(["secret.txt"])
})

const cutDeletion = (fault: string, text: string) =>
  cutChange(fault, text, async ({ files }, params, fileId) => files.remove({ params: { ...params, fileId } }))

async function cutChange(
  fault: string,
  text: string,
  change: (client: Client, params: { id: string }, fileId: string) => Promise<unknown>,
) {
  box = await startFaultyBox(fault, dataDir)
  const key = box.firstRunKey ?? ""
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
  const { vector } = await client.folders.create({ body: { name: "Handbook" } })
  const params = { id: vector.id }
  const uploaded = await client.files.upload({ params, file: new Blob([text]), fileName: "secret.txt" })
  const fileId = uploaded.files[0]?.id ?? ""
  const status = async () => (await client.files.read({ params: { ...params, fileId } })).file.status
  await expect.poll(status).toBe("completed")
  await expect(change(client, params, fileId)).rejects.toMatchObject({ code: "unavailable" })
  return { key, params, fileId, folder: vector.folder }
}
