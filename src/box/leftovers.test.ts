import { once } from "node:events"
import { link, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises"
import { request, type IncomingMessage } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { createClient } from "../shared/client/http-client.ts"
import { holdDirectory } from "./core/data-directory/instance-lock.ts"
import { runCommand, killsItself, startFaultyBox, withScript } from "./testing/box-process.ts"
import { startTestBox, type TestBox } from "./testing/test-box.ts"

let dataDir: string
let restarted: TestBox | undefined
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "casella-leftovers-"))
})
afterEach(() => restarted?.[Symbol.asyncDispose]()) // Also removes its directory.

/** Returns everything in the data directory that a new box doesn't have, such as partial files. */
async function leftovers(): Promise<string[]> {
  const names = await readdir(dataDir, { recursive: true })
  return names.filter((name) => /partial|backup|complete|uploads.|tmp./.test(name))
}

// Catches secrets, or all users' documents, in files that no start removes.
it.each([
  ["secrets.json", "rename"],
  [".tgz", "link"],
])("removes an incomplete %s when a killed box starts again", async (file, lastStep) => {
  const box = await startFaultyBox(killsItself("before", lastStep, file), dataDir)
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.firstRunKey ?? "" } })
  const ended = once(box.child, "exit")
  const target = { kind: "http" as const, url: "https://tools.example/mcp" }
  if (file === "secrets.json")
    await client.integrations.add({ body: { name: "Tools", target, token: "t" } }).catch(() => undefined)
  else await client.storage.startBackup().catch(() => undefined)
  await ended
  expect(await leftovers()).not.toEqual([])
  restarted = await startTestBox({ dataDir })
  expect((await leftovers()).filter((name) => name !== "backups")).toEqual([])
})

// Catches files that `backup` leaves next to the database forever.
it("removes the files of a killed backup command on its own disk", async () => {
  restarted = await startTestBox({ dataDir })
  const siblingDirectory = await mkdtemp(join(tmpdir(), "casella-beside-"))
  const target = join(siblingDirectory, "mine.tgz")
  const { code } = await withScript(killsItself("before", "link", "mine.tgz"), () =>
    runCommand("backup", target, "--data", dataDir),
  )
  expect(code).toBeNull()
  expect(await leftovers()).not.toEqual([])
  await restarted.restart()
  expect(await leftovers()).toEqual([])
  await rm(siblingDirectory, { recursive: true })
})

// Catches gigabytes of a backup left on another disk forever, and other people's files that are removed instead.
it(
  "removes the files of a killed backup command on another disk as soon as that disk is available",
  { tags: "linux" },
  async () => {
    restarted = await startTestBox({ dataDir })
    const otherDirectory = await mkdtemp("/dev/shm/casella-leftovers-")
    const target = join(otherDirectory, "mine.tgz")
    const { code } = await withScript(killsItself("before", "link", "mine.tgz"), () =>
      runCommand("backup", target, "--data", dataDir),
    )
    expect(code).toBeNull()
    expect(await readdir(otherDirectory)).toEqual([expect.stringMatching(/^mine\.tgz\..*\.partial$/)])
    await writeFile(`${target}.partial`, "somebody's own")
    await rename(otherDirectory, `${otherDirectory}-unplugged`)
    await restarted.restart()
    await restarted.restart()
    await rename(`${otherDirectory}-unplugged`, otherDirectory)
    await restarted.restart()
    await expect.poll(() => readdir(otherDirectory)).toEqual(["mine.tgz.partial"])
    await expect.poll(leftovers).toEqual([])
    await rm(otherDirectory, { recursive: true })
  },
)

// Catches a start that deletes a file that another box is receiving into a directory that both follow.
it("removes partial uploads in a followed directory at the next start of their own box", async () => {
  restarted = await startTestBox({ dataDir })
  await using other = await startTestBox()
  const documents = await mkdtemp(join(tmpdir(), "casella-leftovers-documents-"))
  const [folder] = await Promise.all(
    [restarted, other].map(({ client }) =>
      client.folders.create({ body: { name: "Both", folder: documents } }),
    ),
  )
  const getId = async (directory: string) =>
    (JSON.parse(await readFile(join(directory, "casella.json"), "utf8")) as { id: string }).id
  const [leftHere = "", leftThere = ""] = await Promise.all(
    [dataDir, other.dataDir].map(async (directory) => `.casella-partial-${await getId(directory)}-left`),
  )
  const upload = request(`${restarted.url}/api/public/vectors/${folder?.vector.id ?? ""}/files`, {
    method: "POST",
    headers: { "x-api-key": restarted.key, "content-type": "multipart/form-data; boundary=B" },
  })
  const answered = once(upload, "response") as Promise<[IncomingMessage]>
  const head = 'content-disposition: form-data; name="file"; filename="slow.md"'
  upload.write(`--B\r\n${head}\r\n\r\n${"half ".repeat(20_000)}`)
  const partials = async () =>
    (await readdir(documents)).filter((name) => name.startsWith(".casella")).toSorted()
  await expect.poll(partials).toHaveLength(1)
  const [coming = ""] = await partials()

  for (const name of [leftHere, leftThere]) await writeFile(join(documents, name), "left")
  await other.restart()
  await expect.poll(partials).toEqual([coming, leftHere].toSorted())
  upload.end("end\r\n--B--\r\n")
  expect((await answered)[0].statusCode).toBe(202)
  await restarted.restart()
  await expect.poll(partials).toEqual([])
  await rm(documents, { recursive: true })
})

// Catches a second name of a document that a killed box left next to it, and a document that is deleted with it.
it("removes the rest of an interrupted change in a managed folder at the next start", async () => {
  restarted = await startTestBox({ dataDir })
  const { vector } = await restarted.client.folders.create({ body: { name: "Own" } })
  const file = { params: { id: vector.id }, file: new Blob(["kept"]), fileName: "a.txt" }
  await restarted.client.files.upload({ ...file, relativePath: "sub/a.txt" })
  const document = join(vector.folder, "sub", "a.txt")
  await link(document, join(vector.folder, "sub", ".casella-partial-left"))
  await restarted.restart()
  const names = () => readdir(vector.folder, { recursive: true })
  await expect.poll(names).not.toContainEqual(expect.stringContaining("partial"))
  expect(await readFile(document, "utf8")).toBe("kept")
})

// Catches a start that deletes the staging directory of a running `backup` command.
it("keeps the working directory of a backup command while it runs", async () => {
  restarted = await startTestBox({ dataDir })
  const [working, left] = ["working", "left"].map((name) => join(dataDir, "uploads", `backup-${name}`))
  for (const path of [working ?? "", left ?? ""]) await mkdir(path, { recursive: true })
  const held = holdDirectory(working ?? "")
  await restarted.restart()
  expect(await readdir(join(dataDir, "uploads"))).toEqual(["backup-working"])
  held?.[Symbol.dispose]()
  await restarted.restart()
  expect(await leftovers()).toEqual([])
})

// Catches Ctrl+C that leaves `FILE.partial` on another disk, where no one looks for it. Only Linux offers another disk to every user.
it("leaves nothing when a backup command is stopped", { tags: "linux" }, async () => {
  restarted = await startTestBox({ dataDir })
  const otherDirectory = await mkdtemp("/dev/shm/casella-leftovers-")
  const stopped = killsItself("before", "mkdir", "chat-files").replace("SIGKILL", "SIGTERM")
  const { code, stderr } = await withScript(stopped, () =>
    runCommand("backup", join(otherDirectory, "mine.tgz"), "--data", dataDir),
  )
  expect([code, stderr]).toEqual([2, "The backup was stopped.\n"])
  expect(await readdir(otherDirectory)).toEqual([])
  expect(await leftovers()).toEqual([])
  await rm(otherDirectory, { recursive: true })
})

// Catches a reported success for a file that the next start or the next backup deletes.
it("writes no backup into a data directory", async () => {
  restarted = await startTestBox({ dataDir })
  await restarted.box[Symbol.asyncDispose]()
  const link = await mkdtemp(join(tmpdir(), "casella-link-"))
  await symlink(join(dataDir, "tmp"), join(link, "tmp"))
  for (const directory of [dataDir, join(dataDir, "uploads"), join(dataDir, "backups"), join(link, "tmp")]) {
    await mkdir(directory, { recursive: true })
    const { code, stderr } = await runCommand("backup", join(directory, "mine.tgz"), "--data", dataDir)
    expect([code, stderr]).toEqual([2, expect.stringContaining("Choose a file outside it")])
    expect(await readdir(directory)).not.toContain("mine.tgz")
  }
  await rm(link, { recursive: true })
})

// Catches a start that deletes complete files as if they were partial.
it("removes leftovers of earlier versions and of copies into the trash, and nothing else", async () => {
  const today = new Date().toISOString().slice(0, 10)
  const left = [
    ".casella-partial-1",
    "backup-a1b2c3/casella.sqlite",
    "avatars/.casella-partial-2",
    "backups/casella-backup-2026-01-02.tgz.partial",
    `trash/${today}/01/.casella-partial-3`,
  ]
  const kept = [
    "secrets.json",
    "backup-monday",
    "backup-photos/heron.jpg",
    "mine.partial",
    "backups/mine.tgz.partial",
    "backups/casella-backup-2026-01-01.tgz",
    "folders/f/x.partial",
    `trash/${today}/01/x.partial`,
    "before-restore-1/x",
  ]
  restarted = await startTestBox({ dataDir })
  await restarted.box[Symbol.asyncDispose]()
  for (const name of [...left, ...kept]) {
    await mkdir(join(dataDir, name, ".."), { recursive: true })
    await writeFile(join(dataDir, name), "[]")
  }
  await restarted.restart()
  const names = await readdir(dataDir, { recursive: true })
  expect(names).toEqual(expect.arrayContaining(kept))
  expect(names.filter((name) => left.includes(name) || /backup-a1|-02.tgz/.test(name))).toEqual([])
})
