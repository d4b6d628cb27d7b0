import { existsSync, statSync } from "node:fs"
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, utimes, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { create } from "tar"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createClient, type Client } from "../shared/client/http-client.ts"
import type { Trigger } from "../shared/contract/automations.ts"
import type { HeldItem } from "../shared/contract/storage.ts"
import { waitFor } from "../shared/testing/wait-for.ts"
import { databaseAdoption } from "./compose/adopt-database.ts"
import { spawnNodeChild } from "./core/children/child.ts"
import { createDatabaseChecker } from "./core/database/sqlite/integrity/check-database.ts"
import { hashSecret, timestamp } from "./core/ids.ts"
import { silentLogger } from "./core/logging/logger.ts"
import { applyStagedRestore } from "./features/storage/apply-restore.ts"
import { stageRestore } from "./features/storage/staged-restore.ts"
import { databasePath } from "./start/open-data.ts"
import { signIn, type AppSession } from "./testing/clients.ts"
import { startRecordingServer, type RecordingServer } from "./testing/model-servers/model-server.ts"
import { startTestBox, type TestBox } from "./testing/test-box.ts"

// Restores one backup with a row for everything that acts or connects. Each test checks another part of the result.

interface HostileBackup {
  file: string
  key: string
  ownKey: string
  unwantedKey: string
}

const stack = new AsyncDisposableStack()
let archive: HostileBackup
let root: string
let box: TestBox
/** Uses a key of the backup's owner, who wrote it. */
let keyClient: Client
let inApp: Client
let ownKeyClient: Client
let unwantedKeyClient: Client
let session: AppSession
let server: RecordingServer
let before: HeldItem[]
/** Another server, for items that an owner turns on here. Items for the first server stay off. */
let own: RecordingServer
const ids = {
  folder: "",
  ownFolderId: "",
  managed: "",
  file: "",
  schedule: "",
  ownSchedule: "",
  hook: "",
  off: "",
  assistant: "",
  notification: "",
  hookUrl: "",
}
const stamp = new Date("2026-01-02T03:04:05.000Z")
const schedule = { kind: "schedule", cron: "0 0 1 1 *", timeZone: "UTC" } as const
const secret = "The heron stands in the secret directory."
const evil = () => `${server.url}/evil`
const ownModel = () => join(root, "model.gguf")
/** A webhook secret that the backup's author hid in an automation with a schedule. */
const hiddenHook = `hook_${"A".repeat(43)}`
/** A path from a managed folder's directory to one that nothing may be written to. */
const outside = "../../../outside"
const linkedDocument = () => join(root, "linked.gguf")
const marker = () => join(root, "program-ran")

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "casella-hostile-")))
  stack.defer(() => rm(root, { recursive: true, force: true }))
  for (const name of ["harmless", "own", "unwanted", "secret", "outside"]) await mkdir(join(root, name))
  await writeFile(join(root, "secret", "secret.txt"), secret)
  await utimes(join(root, "secret", "secret.txt"), stamp, stamp)
  await writeFile(join(root, "own", "own.txt"), "The heron stands here.")
  await writeFile(ownModel(), "GGUF")
  const listModels = (path: string) =>
    path === "/models" ? JSON.stringify({ data: [{ id: "model" }] }) : null
  server = stack.use(await startRecordingServer(listModels))
  own = stack.use(await startRecordingServer(listModels))
  archive = await writeHostileBackup()
  const dataDir = join(root, "restored")
  await restoreInto(dataDir)
  server.received.length = 0
  box = stack.use(await startTestBox({ dataDir }))
  await box.restart() // Items that are off stay off.
  keyClient = box.getClient(archive.key)
  ownKeyClient = box.getClient(archive.ownKey)
  unwantedKeyClient = box.getClient(archive.unwantedKey)
  inApp = createClient({ baseUrl: box.url, headers: await signIn(box.url, await box.box.signInToken()) })
  before = (await inApp.storage.held()).items
})

afterAll(() => stack.disposeAsync())

async function restoreInto(dataDir: string): Promise<void> {
  const stagingRoot = join(dataDir, "uploads")
  await mkdir(stagingRoot, { recursive: true })
  {
    await using checker = createDatabaseChecker(spawnNodeChild)
    await stageRestore({ file: archive.file, dataDir, stagingRoot, checker, adoption: databaseAdoption })
  }
  await applyStagedRestore(dataDir, silentLogger)
}

/** Writes a backup as an attacker who knows the database schema would. */
async function writeHostileBackup(): Promise<HostileBackup> {
  const dataDir = join(root, "hostile")
  const made = await startTestBox({ dataDir })
  const { client, key } = made
  const makeFolder = async (name: string, folder?: string) =>
    (await client.folders.create({ body: { name, ...(folder !== undefined && { folder }) } })).vector.id
  ids.folder = await makeFolder("Followed", join(root, "harmless"))
  ids.ownFolderId = await makeFolder("Own", join(root, "own"))
  await makeFolder("Unwanted", join(root, "unwanted"))
  ids.managed = await makeFolder("Uploads")
  const inside = new Blob(["Inside."])
  const { files } = await client.files.upload({
    params: { id: ids.managed },
    file: inside,
    fileName: "inside.txt",
  })
  ids.file = files[0]?.id ?? ""
  const automate = (name: string, trigger: Trigger) =>
    client.automations.create({ body: { name, prompt: "Do it.", trigger } })
  ids.schedule = (await automate("Yearly", schedule)).automation.id
  ids.ownSchedule = (await automate("Own", schedule)).automation.id
  await automate("Unwanted", schedule)
  const off = { name: "Off", prompt: "Do it.", trigger: { kind: "hook" }, enabled: false } as const
  ids.off = (await client.automations.create({ body: off })).automation.id
  const { automation, hook } = await automate("Hook", { kind: "hook" })
  ids.hook = automation.id
  ids.hookUrl = new URL(hook?.url ?? "").pathname
  const addModels = async (name: string, url: string) =>
    (await client.modelServers.add({ body: { name, url } })).server.id
  const evilModels = await addModels("Models", server.url)
  const ownModels = await addModels("Own", own.url)
  await addModels("Unwanted", server.url)
  const picture = `${server.url}/picture.png`
  const draft = { name: "Helper", customImage: picture, permissionMode: "bypass" } as const
  ids.assistant = (await client.assistants.create({ body: draft })).assistant.id
  const sender = { kind: "user", name: "Eve", imageUrl: picture } as const
  ids.notification = (await client.notifications.send({ body: { title: "Look", sender } })).notification.id
  await client.settings.update({
    body: { allowedOrigins: ["https://evil.example"], allowedPrivateHosts: ["wiki.intern:8080"] },
  })
  const makeKey = async (name: string) => (await client.keys.create({ body: { name } })).key
  const ownKey = await makeKey("Own")
  const unwantedKey = await makeKey("Unwanted")
  session = await signIn(made.url, await made.box.signInToken())
  await made.box[Symbol.asyncDispose]()

  const sqlite = new SqliteDatabase(databasePath(dataDir))
  sqlite.pragma("foreign_keys = OFF")
  const owner = sqlite.prepare("SELECT id FROM users").pluck().get() as string
  const command = JSON.stringify({ kind: "command", command: "touch", args: [marker()] })
  const http = JSON.stringify({ kind: "http", url: `${evil()}/mcp` })
  const link = sqlite.prepare(
    `INSERT INTO toolServers (ownerId, key, name, target, linkedAt, signedOut, approved, offer, readTools, offTools, createdAt)
     VALUES (?, ?, ?, ?, '2026-01-01T00:00:00.000Z', 0, '[]', '{"definitions":[],"refused":[]}', '[]', '[]', '')`,
  )
  link.run(owner, "mcp_program", "Program", command)
  link.run(owner, "mcp_both", "Both", `${http.slice(0, -1)},${command.slice(1)}`)
  link.run(owner, "mcp_address", "Address", http)
  link.run(owner, "mcp_own", "Own", JSON.stringify({ kind: "http", url: `${own.url}/mcp` }))
  link.run(owner, "mcp_unwanted", "Unwanted", http)
  link.run(owner, "mcp_a/mcp_x", "Hidden", command)
  link.run(`${owner}/mcp_a`, "mcp_x", "Notes", http)
  for (const id of [ids.folder, ids.managed])
    sqlite.prepare("UPDATE folders SET path = ? WHERE id = ?").run(join(root, "secret"), id)
  const set = sqlite.prepare("INSERT OR REPLACE INTO settings VALUES (?, ?)")
  set.run("networkAccess", "true")
  sqlite.prepare("INSERT INTO parkedTurns VALUES ('message', ?, 'chat', '{}')").run(owner)
  sqlite.prepare("INSERT INTO rememberedTools VALUES (?, 'chat', 'fetch', '')").run(owner)
  const approve = sqlite.prepare(
    `INSERT INTO approvals (messageId, toolCallId, ownerId, chatId, toolName, args, fingerprint, identity, reasonCode, reason, state,
       createdAt, expiresAt) VALUES ('message', ?, ?, 'chat', 'fetch', '{}', '', '', 'ask', '', ?, '2026', '2020')`,
  )
  approve.run("allowed", owner, "allowed")
  approve.run("waiting", owner, "waiting")
  set.run("allowedHosts", '["evil.example"]')
  // A document in the target data directory, as if the backup had been restored there before.
  const document = join(root, "restored", "folders", ids.managed, "inside.txt")
  await mkdir(dirname(document), { recursive: true })
  await writeFile(document, "Inside.")
  await symlink(document, linkedDocument())
  const models = [
    ownModel(),
    "folders/evil.gguf",
    "//evil.example/model.gguf",
    "/dev/zero",
    document,
    linkedDocument(),
  ]
  set.run("adoptedModels", JSON.stringify(models.map((path) => ({ path, name: "Model" }))))
  set.run("rerankModel", '"../../../dev/zero"')
  set.run("modelMirror", '"https://evil.example"')
  set.run("webSearch", '{"provider":"searxng","url":"https://evil.example","hasApiKey":false}')
  sqlite
    .prepare("UPDATE files SET webPage = ?, refreshAt = '2020-01-01T00:00:00.000Z' WHERE id = ?")
    .run(
      JSON.stringify({ url: evil(), userId: owner, refreshHours: 1, hash: "", fetchedAt: "", problem: null }),
      ids.file,
    )
  set.run("embeddingModel", JSON.stringify(`srv_${evilModels}/model`))
  set.run("chatModel", JSON.stringify(`srv_${ownModels}/model`))
  sqlite
    .prepare("UPDATE automations SET nextRunAt = '2020-01-01T00:00:00.000Z' WHERE id = ?")
    .run(ids.schedule)
  // A file in a managed folder whose path leads outside it, and whose modification time would be set to the backup's.
  sqlite
    .prepare(
      "UPDATE files SET subFolder = '../../../../../secret', name = 'secret.txt', size = ?, modifiedMs = ? WHERE id = ?",
    )
    .run(secret.length, stamp.getTime() + 0.5, ids.file)
  set.run("localOnlyPrograms", "true")
  sqlite
    .prepare("UPDATE automations SET hookHash = ?, kind = 'manual', minutes = 0, runsPerDay = 0 WHERE id = ?")
    .run(hashSecret(hiddenHook), ids.ownSchedule)
  await addMoves(sqlite, dataDir, owner)
  sqlite.exec(`
    CREATE TRIGGER keepSetting AFTER DELETE ON settings WHEN old.key = 'networkAccess' BEGIN
      INSERT INTO settings VALUES ('networkAccess', 'true');
    END;
    CREATE TRIGGER linkAgain AFTER UPDATE ON toolServers WHEN new.linkedAt IS NULL BEGIN
      UPDATE toolServers SET linkedAt = '2026-01-01' WHERE ownerId = new.ownerId AND key = new.key;
    END;
    CREATE VIEW peeking AS SELECT * FROM apiKeys;
    CREATE TABLE stowaway (content TEXT);
    CREATE INDEX foreignIndex ON users (name, email);
  `)
  sqlite.close()
  const file = join(root, "hostile.tgz")
  await create({ file, cwd: dataDir, gzip: true }, ["casella.sqlite", "folders", "trash"])
  return { file, key, ownKey, unwantedKey }
}

/** Adds files to the trash: some that are being moved according to the backup, and some whose rows name a location outside their folder. */
async function addMoves(sqlite: SqliteDatabase.Database, dataDir: string, owner: string): Promise<void> {
  const copyRow = (table: string, id: string, changes: object) => {
    const row = { ...(sqlite.prepare(`SELECT * FROM ${table} WHERE id = ?`).get(id) as object), ...changes }
    const names = Object.keys(row).map((name) => `"${name}"`)
    const marks = names.map(() => "?")
    sqlite.prepare(`INSERT INTO ${table} (${names.join()}) VALUES (${marks.join()})`).run(Object.values(row))
  }
  const moveToTrash = async (id: string, name: string) => {
    const directory = join(dataDir, "trash", timestamp().slice(0, 10), id)
    await mkdir(directory, { recursive: true })
    await writeFile(join(directory, name), "touch it", { mode: 0o755 })
  }
  const move = async (number: number, folderId: string, folder: string, status: string) => {
    const [id, hiddenId, name] = [`moving-${number}`, `hidden-${number}`, `evil-${number}.txt`]
    copyRow("folders", folderId, { id: hiddenId, managed: 0, removed: 1, paused: 1 })
    copyRow("files", ids.file, { id, folderId: hiddenId, subFolder: "", name })
    await moveToTrash(id, name)
    const filedAs = JSON.stringify({ vectorId: folderId, folder, name, tags: [] })
    sqlite
      .prepare(
        `INSERT INTO filings (id, ownerId, action, status, fileId, was, became, taken, createdAt)
         VALUES (?, ?, 'move', ?, ?, ?, ?, ?, '2026-01-01T00:00:00.000Z')`,
      )
      .run(
        id,
        owner,
        status,
        id,
        filedAs,
        filedAs,
        JSON.stringify({ folderId, hiddenId, trashId: id, mode: 0o777 }),
      )
  }
  await move(1, ids.managed, outside, "moving")
  await move(2, ids.ownFolderId, "", "moving")
  await move(3, ids.ownFolderId, "", "undoing")
  const trash = sqlite.prepare("INSERT INTO trashedFiles VALUES (?, ?, ?, ?, ?, 8, '2026', NULL, NULL, NULL)")
  for (const [id, subFolder, name] of [
    ["trashed-1", outside, "evil.txt"],
    ["trashed-2", "", `${outside}/evil.txt`],
  ] as const) {
    trash.run(id, owner, ids.managed, subFolder, name)
    await moveToTrash(id, "evil.txt")
  }
  sqlite
    .prepare("INSERT INTO unfinishedChanges VALUES (?, '', 'own.txt', 'own-2.txt', 'x', 'y')")
    .run(ids.file)
  sqlite.prepare("INSERT INTO returningFiles VALUES (?, 'own.txt', 'x')").run(ids.file)
}

const find = (kind: HeldItem["kind"], name: string): HeldItem => {
  const found = before.find((item) => item.kind === kind && item.name === name)
  if (!found) throw new Error(`No ${kind} ${name} is held.`)
  return found
}
const decide = (item: HeldItem, decision: "turn_on" | "keep_off", client = inApp, key?: string) =>
  client.storage.decideHeld({ body: { ...item, decision, ...(key !== undefined && { key }) } })
const refused = (promise: Promise<unknown>, code: string) => expect(promise).rejects.toMatchObject({ code })

describe("Before an owner decides, a restored backup", () => {
  // Catches code in a backup that SQLite runs, such as a trigger that reverts what a restore turns off.
  it("has only the schema of this Casella", () => {
    const read = (path: string) => {
      const sqlite = new SqliteDatabase(path, { readonly: true })
      const found = sqlite.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").all()
      sqlite.close()
      return found as { name: string }[]
    }
    const names = read(databasePath(box.dataDir)).map(({ name }) => name)
    for (const name of ["keepSetting", "linkAgain", "peeking", "stowaway", "foreignIndex"])
      expect(names).not.toContain(name)
    expect(names).toContain("notificationAdded")
  })

  it("lists its possible effects on one page", () => {
    const shown = before.filter(({ name }) => name !== "Own" && name !== "Unwanted")
    const { does, scopes } = find("api_key", "First run")
    expect(scopes).toBeNull()
    expect(does).toMatch(/^box_.{6}…$/)
    expect(shown.map(({ kind, name, does }) => [kind, name, does].join(" ")).toSorted()).toEqual([
      `api_key First run ${does}`,
      "automation Yearly Do it.",
      `folder Followed ${join(root, "secret")}`,
      `mcp_server Address ${evil()}/mcp`,
      `model_server Models ${server.url}`,
      `program Both touch ${marker()}`,
      `program Hidden touch ${marker()}`,
      `program Program touch ${marker()}`,
      "setting allowedHosts evil.example",
      "setting allowedOrigins https://evil.example",
      "setting allowedPrivateHosts wiki.intern:8080",
      "setting localOnlyPrograms true",
      "setting modelMirror https://evil.example",
      "setting networkAccess true",
      "setting webSearch searxng, https://evil.example",
      "webhook Hook Do it.",
    ])
    expect(find("automation", "Yearly").trigger).toEqual(schedule)
  })

  // Catches consent for a harmless server that turns on a program, because its owner's id and key joined together equal the program's id.
  it("has a distinct id for each item, and none from an owner with an invalid id", () => {
    const ids = before.map(({ kind, id }) => `${kind} ${id}`)
    expect(new Set(ids).size).toBe(before.length)
    expect(before.map(({ name }) => name)).not.toContain("Notes")
  })

  const select = (columns: string): unknown[] => {
    const sqlite = new SqliteDatabase(databasePath(box.dataDir), { readonly: true })
    const rows = sqlite.prepare(`SELECT ${columns}`).all()
    sqlite.close()
    return rows
  }

  // Catches a tool call that is marked as allowed in the backup and runs at the first start.
  it("resumes no answer that waited for an approval, and allows no tool", () => {
    expect(select("* FROM parkedTurns")).toEqual([])
    expect(select("* FROM rememberedTools")).toEqual([])
    expect(select("* FROM approvals WHERE state = 'waiting'")).toEqual([])
  })

  // Catches an address of another computer that the next start accesses, and to which Windows signs its user in.
  it("uses only model files on this computer", () => {
    const getValue = (key: string) => select(`value FROM settings WHERE key = '${key}'`)
    expect(getValue("adoptedModels")).toEqual([
      { value: JSON.stringify([{ path: ownModel(), name: "Model" }]) },
    ])
    expect(getValue("rerankModel")).toEqual([{ value: "null" }])
  })

  // Catches an executable file in the backup that the first start writes to any location on this computer.
  it("continues no move or other file change", async () => {
    expect(await readdir(join(root, "outside"))).toEqual([])
    expect(select("id, status, taken FROM filings")).toEqual([
      { id: "moving-3", status: "done", taken: null },
    ])
    expect(select("id FROM folders WHERE removed = 1")).toEqual([])
    expect(select("* FROM returningFiles")).toEqual([])
    expect(select("* FROM unfinishedChanges WHERE fromFile IS NOT NULL OR toFile IS NOT NULL")).toEqual([])
  })

  // Catches a trashed file whose original location is outside its folder.
  it("restores no file outside its folder", async () => {
    for (const id of ["trashed-1", "trashed-2"])
      await refused(keyClient.files.putBack({ params: { id } }), "not_found")
    expect(await readdir(join(root, "outside"))).toEqual([])
  })

  // Catches a file that is lost because the backup was made while it was being moved.
  it("keeps files that were being moved in the trash, where they can be restored", async () => {
    const trashed = (await keyClient.files.trash()).files.map(({ id }) => id)
    expect(trashed).toEqual(expect.arrayContaining(["moving-1", "moving-2", "moving-3"]))
    const { file } = await keyClient.files.putBack({ params: { id: "moving-1" } })
    expect(file).toMatchObject({ name: "evil-1.txt" })
    expect(statSync(join(box.dataDir, "folders", ids.managed, "evil-1.txt")).mode & 0o111).toBe(0)
  })

  // Catches a webhook in an automation that is listed with a schedule, and limits that no query or timer accepts.
  it("has no webhook secret in an automation with another trigger, and no impossible limits", () => {
    const columns = "kind, hookHash, minutes, runsPerDay"
    const [row] = select(`${columns} FROM automations WHERE id = '${ids.ownSchedule}'`)
    expect(row).toEqual({ kind: "schedule", hookHash: null, minutes: 30, runsPerDay: 100 })
  })

  it("fetches no web page again", () => {
    const [file] = select(`refreshAt, webPage FROM files WHERE id = '${ids.file}'`)
    expect(file).toEqual({
      refreshAt: null,
      webPage: expect.stringContaining('"refreshHours":null') as string,
    })
  })

  it("notifies its owners once that items are off", async () => {
    const { notifications } = await keyClient.notifications.list({ query: {} })
    expect(notifications.filter(({ news }) => news?.kind === "backup_restored")).toHaveLength(1)
  })

  // Catches a local directory that is read and sent to the backup's server because a row names it.
  it("reads no directory that it names and calls no server", async () => {
    const { vector } = await keyClient.folders.read({ params: { id: ids.folder } })
    expect(vector).toMatchObject({
      available: false,
      paused: true,
      fileCount: 0,
      folder: join(root, "secret"),
    })
    const { servers } = await keyClient.modelServers.list()
    expect(servers.filter(({ name }) => name === "Models")).toEqual([])
    expect(server.received).toEqual([])
    expect(statSync(join(root, "secret", "secret.txt")).mtimeMs).toBe(stamp.getTime())
    const params = { id: ids.managed, fileId: ids.file }
    await refused(keyClient.files.content({ params }), "not_found")
  })

  // Catches an assistant that follows instructions of the backup's author without asking.
  it("has no assistant that acts without asking", async () => {
    const { assistant } = await keyClient.assistants.read({ params: { id: ids.assistant } })
    expect(assistant.permissionMode).toBe("ask")
  })

  // Catches a connection to an address in the backup when someone views an assistant or a notification.
  it("shows no image from the web", async () => {
    const assistantRequest = { params: { id: ids.assistant } }
    expect((await keyClient.assistants.read(assistantRequest)).assistant.customImage).toBeNull()
    await refused(keyClient.assistants.image(assistantRequest), "not_found")
    const notificationInput = { params: { id: ids.notification } }
    const { sender } = await keyClient.notifications.read(notificationInput)
    expect(sender).toEqual({ kind: "user", name: "Eve" })
    await refused(keyClient.notifications.avatar(notificationInput), "not_found")
  })

  it("starts no program and connects no server", async () => {
    const { integrations } = await keyClient.integrations.list()
    for (const key of ["mcp_program", "mcp_both", "mcp_address"])
      expect(integrations.find((one) => one.key === key)).toMatchObject({ state: "unlinked" })
    expect(existsSync(marker())).toBe(false)
  })

  it("runs no automation by schedule, webhook or manually", async () => {
    for (const id of [ids.schedule, ids.hook]) {
      const { automation } = await keyClient.automations.read({ params: { id } })
      expect(automation).toMatchObject({ enabled: false, nextRunAt: null, lastRun: null })
      await refused(inApp.automations.run({ params: { id } }), "conflict")
    }
    expect((await fetch(box.url + ids.hookUrl, { method: "POST" })).status).toBe(409)
  })

  it("admits no earlier session and no other computer or website", async () => {
    // The cookie's name contains the port; the attacker sends it as the page of this server would.
    const { port } = new URL(box.url)
    const cookie = session.cookie.replace(/^casella_session_\d+/, `casella_session_${port}`)
    const headers = { ...session, cookie, origin: box.url }
    expect((await fetch(`${box.url}/api/public/me`, { headers })).status).toBe(401)
    expect((await keyClient.settings.network()).network.on).toBe(false)
    expect((await keyClient.settings.read()).settings).toMatchObject({
      networkAccess: false,
      allowedOrigins: [],
    })
  })

  // Catches a key from the backup, or a member, that can make an owner's decisions.
  it("can't be turned on with a key or without the page", async () => {
    await refused(decide(find("program", "Program"), "turn_on", keyClient), "forbidden")
    const program = await keyClient.integrations.read({ params: { key: "mcp_program" } })
    const { consent } = program.integration
    const link = { params: { key: "mcp_program" }, body: { consent: consent ?? undefined } }
    await refused(inApp.integrations.link(link), "conflict")
    await refused(
      keyClient.folders.update({ params: { id: ids.folder }, body: { paused: false } }),
      "conflict",
    )
    await refused(
      inApp.automations.update({ params: { id: ids.schedule }, body: { enabled: true } }),
      "conflict",
    )
    const other = { ...find("program", "Program"), does: "ls" }
    await refused(decide(other, "turn_on"), "conflict")
    expect((await inApp.storage.held()).items).toContainEqual(find("program", "Program"))
    expect(existsSync(marker())).toBe(false)
  })
})

// Catches a key that its author uses to sign in as the owner and turn everything on, or to add the program again.
describe("Until an owner confirms it, an API key of the backup", () => {
  const target = { kind: "command" as const, command: "touch", args: [] }
  it.each<[string, (client: Client) => Promise<unknown>]>([
    ["makes no key", (client) => client.keys.create({ body: { name: "Key" } })],
    [
      "adds no person",
      (client) => client.people.add({ body: { email: "eve@evil.example", name: "Eve", role: "owner" } }),
    ],
    ["changes no person", (client) => client.people.update({ params: { id: "x" }, body: { name: "Eve" } })],
    ["makes no sign-in link", (client) => client.people.signInLinks({ params: { id: "x" } })],
    ["adds no program", (client) => client.integrations.add({ body: { name: "New", target } })],
    [
      "changes no program",
      (client) => client.integrations.update({ params: { key: "mcp_address" }, body: { target } }),
    ],
    ["links no program", (client) => client.integrations.link({ params: { key: "mcp_address" }, body: {} })],
    ["adds no model server", (client) => client.modelServers.add({ body: { name: "New", url: server.url } })],
    ["follows no directory", (client) => client.folders.create({ body: { name: "New", folder: root } })],
    [
      "points no folder to a directory",
      (client) => client.folders.update({ params: { id: ids.managed }, body: { folder: root } }),
    ],
    ["lets no other computer in", (client) => client.settings.update({ body: { networkAccess: true } })],
    [
      "restores no backup",
      (client) => client.storage.stageRestore({ file: new Blob([]), fileName: "b.tgz" }),
    ],
    ["revokes no key", (client) => client.keys.revoke({ params: { id: "x" } })],
    ["turns local-only not off", (client) => client.settings.update({ body: { localOnly: false } })],
    [
      "adds no automation",
      (client) =>
        client.automations.create({ body: { name: "New", prompt: "Do it.", trigger: { kind: "hook" } } }),
    ],
    [
      "changes no automation",
      (client) => client.automations.update({ params: { id: ids.off }, body: { enabled: true } }),
    ],
    ["runs no automation", (client) => client.automations.run({ params: { id: ids.off } })],
    [
      "marks no tool as one that only reads",
      (client) =>
        client.integrations.mark({ params: { key: "mcp_address" }, body: { name: "x", effect: "read" } }),
    ],
    ["connects to no server", (client) => client.integrations.check({ params: { key: "mcp_address" } })],
    [
      "plans no backups",
      (client) =>
        client.storage.planBackups({ body: { plan: { every: "day", at: null, directory: root, keep: 1 } } }),
    ],
  ])("%s", async (_, call) => {
    await expect(call(keyClient)).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringMatching(/restored backup/) as string,
    })
  })
})

// Catches a page on which an owner's consent has no effect, or on which nothing can be kept off.
describe("An owner's decision", () => {
  it("turns on a folder, which is followed again", async () => {
    await decide(find("folder", "Own"), "turn_on")
    await waitFor(async () => {
      const { vector } = await keyClient.folders.read({ params: { id: ids.ownFolderId } })
      expect(vector).toMatchObject({ available: true, paused: false, fileCount: 1 })
    })
  })

  it("turns on a model server and the model chosen on it", async () => {
    const { id } = find("model_server", "Own")
    const chosen = async () => (await keyClient.models.list()).choice.chat.chosenId
    expect(await chosen()).toBeNull()
    expect(find("model_server", "Own").roles).toEqual(["chat"])
    expect(find("model_server", "Models").roles).toEqual(["embedding"])
    await decide(find("model_server", "Own"), "turn_on")
    expect(await chosen()).toBe(`srv_${id}/model`)
  })

  it("turns on an automation with its schedule", async () => {
    await decide(find("automation", "Own"), "turn_on")
    const { automation } = await keyClient.automations.read({ params: { id: ids.ownSchedule } })
    expect(automation).toMatchObject({ enabled: true, nextRunAt: expect.any(String) as string })
    expect((await fetch(`${box.url}/api/hooks/${hiddenHook}`, { method: "POST" })).status).toBe(404)
  })

  it("turns on an MCP server, which is connected", async () => {
    await decide(find("mcp_server", "Own"), "turn_on")
    const { integration } = await keyClient.integrations.read({ params: { key: "mcp_own" } })
    expect(integration.linkedAt).not.toBeNull()
  })

  it("turns on an API key, which can create another key", async () => {
    await decide(find("api_key", "Own"), "turn_on", inApp, archive.ownKey)
    const { apiKey } = await ownKeyClient.keys.create({ body: { name: "Made" } })
    expect((await inApp.storage.held()).items.map(({ id }) => id)).not.toContain(apiKey.id)
  })

  it("turns on a setting", async () => {
    await decide(find("setting", "allowedPrivateHosts"), "turn_on")
    expect((await keyClient.settings.read()).settings.allowedPrivateHosts).toEqual(["wiki.intern:8080"])
  })

  it("keeps items off and stops asking about them", async () => {
    const unwanted = before.filter(({ name }) => name === "Unwanted")
    expect(unwanted).toHaveLength(5)
    for (const item of unwanted) await decide(item, "keep_off")
    const { items } = await inApp.storage.held()
    expect(items.filter(({ name }) => name === "Unwanted")).toEqual([])
    const { automations } = await keyClient.automations.list({ query: {} })
    expect(automations.find(({ name }) => name === "Unwanted")).toMatchObject({ enabled: false })
    const { vectors } = await keyClient.folders.list()
    await refused(unwantedKeyClient.folders.list(), "unauthorized")
    expect(vectors.find(({ name }) => name === "Unwanted")?.folder).not.toBe(join(root, "unwanted"))
  })
})

// Catches a file that is written into a directory because it is being moved there according to the backup.
it("A folder that an owner turns on receives no file that the backup was moving into it", async () => {
  const dataDir = join(root, "restored-again")
  await restoreInto(dataDir)
  await using other = await startTestBox({ dataDir })
  const headers = await signIn(other.url, await other.box.signInToken())
  const owner = createClient({ baseUrl: other.url, headers })
  const { items } = await owner.storage.held()
  for (const item of items)
    if (item.kind === "folder" && item.name === "Own") await decide(item, "turn_on", owner)
  await other.restart()
  await waitFor(async () => {
    const { vector } = await other.getClient(archive.key).folders.read({ params: { id: ids.ownFolderId } })
    expect(vector).toMatchObject({ available: true, fileCount: 1 })
  })
  expect(await readdir(join(root, "own"))).toEqual(["own.txt"])
})
