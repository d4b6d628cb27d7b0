import { once } from "node:events"
import { existsSync } from "node:fs"
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { pathToFileURL } from "node:url"
import SqliteDatabase from "better-sqlite3"
import { create } from "tar"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createClient, type Client } from "../shared/client/http-client.ts"
import { waitFor } from "../shared/testing/wait-for.ts"
import { databasePath } from "./start/open-data.ts"
import { runCommand, runCommandWith, spawnBoxProcess, startBoxProcess } from "./testing/box-process.ts"
import { signIn } from "./testing/clients.ts"
import { startRecordingServer, type RecordingServer } from "./testing/model-servers/model-server.ts"
import { startTestBox } from "./testing/test-box.ts"

const stack = new AsyncDisposableStack()
let root: string
let dataDir: string
/** The address of all servers in the backups. */
let server: RecordingServer
const marker = () => join(root, "program-ran")
const backup = (name: string) => join(root, `${name}.tgz`)
const killer = pathToFileURL(join(import.meta.dirname, "testing/kill-at-step.mjs")).href

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "casella-killed-restore-"))
  stack.defer(() => rm(root, { recursive: true, force: true }))
  dataDir = join(root, "data")
  server = stack.use(await startRecordingServer(() => null))
  await writeBackup("seal")
  await writeBackup("walrus")
})

afterAll(() => stack.disposeAsync())

/** Adds a folder with a document, a document in the trash, and an automation. */
async function fill(client: Client, name: string): Promise<void> {
  const { vector } = await client.folders.create({ body: { name } })
  const params = { id: vector.id }
  const upload = async (fileName: string) => {
    const { files } = await client.files.upload({ params, file: new Blob([`The ${name} sings.`]), fileName })
    return files[0]?.id ?? ""
  }
  await upload(`${name}.txt`)
  const fileId = await upload(`deleted-${name}.txt`)
  await waitFor(async () => {
    const { files } = await client.files.list({ params })
    expect(files.map(({ status }) => status)).toEqual(["completed", "completed"])
  })
  await client.files.remove({ params: { ...params, fileId } })
  const trigger = { kind: "schedule", cron: "0 0 1 1 *", timeZone: "UTC" } as const
  await client.automations.create({ body: { name, prompt: "Do it.", trigger } })
}

/** Writes a backup with something of each kind that acts or connects. */
async function writeBackup(name: string): Promise<void> {
  const directory = join(root, `data-of-${name}`)
  const followed = join(root, `followed-by-${name}`)
  await mkdir(followed)
  {
    await using box = await startTestBox({ dataDir: join(root, `source-of-${name}`) })
    await fill(box.client, name)
    await box.client.folders.create({ body: { name: "followed", folder: followed } })
    await box.client.modelServers.add({ body: { name: "models", url: server.url } })
    await box.client.settings.update({ body: { allowedOrigins: ["https://evil.example"] } })
    await box.restart({}, () => cp(box.dataDir, directory, { recursive: true }))
  }
  const sqlite = new SqliteDatabase(databasePath(directory))
  sqlite
    .prepare(
      `INSERT INTO toolServers (ownerId, key, name, target, linkedAt, signedOut, approved, offer, readTools, offTools, createdAt)
       SELECT id, 'mcp_program', 'program', ?, '2026-01-01T00:00:00.000Z', 0, '[]', '{"definitions":[],"refused":[]}', '[]', '[]', ''
       FROM users`,
    )
    .run(JSON.stringify({ kind: "command", command: "touch", args: [marker()] }))
  sqlite.prepare("UPDATE automations SET nextRunAt = '2020-01-01T00:00:00.000Z'").run()
  sqlite.close()
  await create({ file: backup(name), cwd: directory, gzip: true }, ["casella.sqlite", "folders", "trash"])
  await writeFile(join(followed, "secret.txt"), "No one agreed to read this.")
  server.received.length = 0
}

/** Starts the data directory and returns what its owner sees. */
async function look() {
  const box = await startTestBox({ dataDir })
  try {
    const headers = await signIn(box.url, await box.box.signInToken())
    const client = createClient({ baseUrl: box.url, headers })
    const folders = (await client.folders.list()).vectors
    const listed = async () => {
      const lists = await Promise.all(folders.map(({ id }) => client.files.list({ params: { id } })))
      return lists.flatMap(({ files }, index) =>
        files.map(({ id, name, status }) => ({ id: folders[index]?.id ?? "", fileId: id, name, status })),
      )
    }
    const vector = folders.map(({ id }) => id)
    const search = () => client.folders.search({ body: { query: "sings", vector, strategy: "keyword" } })
    await expect.poll(async () => (await listed()).map(({ status }) => status)).toEqual(["completed"])
    await expect.poll(async () => (await search()).results).toHaveLength(1)
    const read = async ({ id, fileId, name }: { id: string; fileId: string; name: string }) =>
      `${name}: ${await (await client.files.content({ params: { id, fileId } })).text()}`
    const { automations } = await client.automations.list()
    const { notifications } = await client.notifications.list({ query: {} })
    return {
      folders: folders.map(({ name }) => name).toSorted(),
      files: await Promise.all((await listed()).map(read)),
      trash: (await client.files.trash()).files.map(({ name }) => name),
      found: (await search()).results.map(({ text }) => text),
      held: (await client.storage.held()).items.map(({ kind, name }) => `${kind} ${name}`).toSorted(),
      automations: automations.map(({ name, enabled, lastRun }) => ({ name, enabled, lastRun })),
      // A folder is reported as indexed after a while, so data of a busy computer already has this notification.
      news: notifications.flatMap(({ news }) => (news && news.kind !== "folder_indexed" ? news.kind : [])),
    }
  } finally {
    await box.box[Symbol.asyncDispose]()
  }
}

const seen = (name: string) => ({
  folders: [name],
  files: [`${name}.txt: The ${name} sings.`],
  trash: [`deleted-${name}.txt`],
  found: [`The ${name} sings.`],
  held: [],
  automations: [{ name, enabled: true, lastRun: null }],
  news: [],
})

const restored = (name: string) => ({
  ...seen(name),
  folders: ["followed", name],
  held: [
    "api_key First run",
    `automation ${name}`,
    "folder followed",
    "model_server models",
    "program program",
    "setting allowedOrigins",
  ],
  automations: [{ name, enabled: false, lastRun: null }],
  news: ["backup_restored"],
})

/** Returns the content of each directory with data that a restore replaced. */
async function lookAside() {
  const names = (await readdir(dataDir)).filter((name) => name.startsWith("before-restore-"))
  return Promise.all(
    names.map(async (name) => {
      const directory = join(dataDir, name)
      const paths = await readdir(directory, { recursive: true })
      const sqlite = new SqliteDatabase(databasePath(directory))
      const automations = sqlite.prepare("SELECT name FROM automations").pluck().all()
      const integrity = sqlite.pragma("integrity_check", { simple: true })
      sqlite.close()
      const files = paths.map((path) => basename(path)).filter((path) => path.endsWith(".txt"))
      return { automations, integrity, files: files.toSorted() }
    }),
  )
}

const aside = (name: string) => ({
  automations: [name],
  integrity: "ok",
  files: [`deleted-${name}.txt`, `${name}.txt`],
})

/** Creates a data directory whose box was killed. A backup waits for the next start. */
async function makeData(name: string, waiting: string): Promise<void> {
  await rm(dataDir, { recursive: true, force: true })
  const box = await startBoxProcess(dataDir)
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.firstRunKey ?? "" } })
  await fill(client, name)
  const file = new Blob([await readFile(backup(waiting))])
  await client.storage.stageRestore({ file, fileName: "backup.tgz" })
  await box.stop("SIGKILL")
}

/** A run of the program that is killed or ends. */
type Run = (env: NodeJS.ProcessEnv) => Promise<{ isKilled: boolean; stderr: string }>

/**
 * Runs the program on copies of a data directory, killed before its first change, its second, and so on until it isn't killed. Calls `check`
 * after each run with the last line of its log, which names the change.
 */
async function killAtEach(template: string, run: Run, check: (at: string) => Promise<void>): Promise<void> {
  for (let change = 1, isKilled = true; isKilled; change++) {
    await rm(dataDir, { recursive: true, force: true })
    await cp(template, dataDir, { recursive: true, preserveTimestamps: true })
    const ended = await run({ NODE_OPTIONS: `--import ${killer}`, KILL_AT: String(change) })
    await check(ended.stderr.trimEnd().split("\n").at(-1) ?? "")
    isKilled = ended.isKilled
  }
}

const restore: Run = async (env) => {
  const { code, stderr } = await runCommandWith({ env }, "restore", backup("walrus"), "--data", dataDir)
  expect([null, 0], stderr).toContain(code)
  return { isKilled: code === null, stderr }
}

const start: Run = async (env) => {
  const { child, stderr } = spawnBoxProcess(dataDir, [], { env })
  const ended = once(child, "exit").then(() => true)
  const started = new Promise<false>((resolve) => {
    child.stderr?.on("data", () => stderr().includes("All work has started") && resolve(false))
  })
  const isKilled = await Promise.race([ended, started])
  child.kill("SIGKILL")
  await ended
  return { isKilled, stderr: stderr() }
}

async function expectNothingActed(at: string): Promise<void> {
  expect(existsSync(marker()), at).toBe(false)
  expect(server.received, at).toEqual([])
  const left = (await readdir(dataDir)).filter((name) => name.startsWith("restore-"))
  expect(left, at).toEqual([])
}

describe("After a kill before any change, the next start has", () => {
  // Catches data of which a part is lost or mixed with other data, a backup of which half was discarded and that is restored nevertheless,
  // and anything that acts before an owner agrees.
  it("one of the two backups or the data before, whole, if another restore was waiting", async () => {
    const template = join(root, "template")
    await makeData("otter", "seal")
    await rename(dataDir, template)
    const states: string[] = []
    await killAtEach(template, restore, async (at) => {
      const found = await look()
      const name = found.folders.find((folder) => folder !== "followed") ?? ""
      expect(found, at).toEqual(name === "otter" ? seen(name) : restored(name))
      expect(await lookAside(), at).toEqual(name === "otter" ? [] : [aside("otter")])
      await expectNothingActed(at)
      states.push(name)
    })
    expect(states.filter((name, index) => name !== states[index - 1])).toEqual(["seal", "otter", "walrus"])
  })

  // Catches a program that runs, a notification that is lost or repeated, and a warning about lost changes, because the start after a restore
  // was interrupted. In the copy of a data directory, it also has to settle in.
  it("the whole backup if the first start after its restore was killed, in a copy of the data directory", async () => {
    const original = join(root, "original")
    await makeData("otter", "seal")
    expect((await runCommand("restore", backup("walrus"), "--data", dataDir)).code).toBe(0)
    await rename(dataDir, original)
    let starts = 0
    await killAtEach(original, start, async (at) => {
      expect(await look(), at).toEqual(restored("walrus"))
      expect(await lookAside(), at).toEqual([aside("otter")])
      await expectNothingActed(at)
      starts++
    })
    expect(starts).toBeGreaterThan(20)
  })
})
