import { existsSync } from "node:fs"
import { mkdir, readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createClient, type Client } from "../../../shared/client/http-client.ts"
import { databaseAdoption } from "../../compose/adopt-database.ts"
import { spawnNodeChild } from "../../core/children/child.ts"
import { createDatabaseChecker } from "../../core/database/sqlite/integrity/check-database.ts"
import { signIn } from "../../testing/clients.ts"
import { addUser, getRows, startTestBox, type TestBox } from "../../testing/test-box.ts"
import { writeBackup } from "./write-backup.ts"

let box: TestBox
beforeEach(async () => {
  box = await startTestBox()
})
afterEach(() => box[Symbol.asyncDispose]())

const overview = async () => (await box.client.storage.read()).storage

async function fill(client: Client, name: string): Promise<{ id: string; fileId: string }> {
  const { vector } = await client.folders.create({ body: { name } })
  const receipt = await client.files.upload({
    params: { id: vector.id },
    file: new Blob(["The heron stands still."]),
    fileName: "heron.txt",
  })
  return { id: vector.id, fileId: receipt.files[0]?.id ?? "" }
}

async function completedBackup(client: Client): Promise<Blob> {
  await client.storage.startBackup()
  await expect.poll(async () => (await client.storage.backup()).backup?.status).toBe("completed")
  return (await client.storage.downloadBackup()).blob()
}

describe("Rights", () => {
  // Catches a member, or a script with read-only access, that can get everyone's documents.
  it("to storage belong only to owners", async () => {
    const member = await addUser(box, "mallory@example.com")
    const { key } = await box.client.keys.create({ body: { name: "Reader", scopes: ["read-only"] } })
    for (const { storage } of [member, box.getClient(key)]) {
      const attempts: (() => Promise<unknown>)[] = [
        () => storage.read(),
        () => storage.emptyTrash(),
        () => storage.removeCopy({ params: { id: "schema-1.sqlite" } }),
        () => storage.startBackup(),
        () => storage.backup(),
        () => storage.downloadBackup(),
        () => storage.removeBackup(),
        () => storage.stageRestore({ file: new Blob(["x"]), fileName: "x.tgz" }),
        () => storage.discardRestore(),
      ]
      for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ code: "forbidden" })
    }
  })
})

describe("Disk usage", () => {
  it("is counted by part, and the trash can be emptied", async () => {
    const { id, fileId } = await fill(box.client, "Counted")
    const getBytes = async (name: string) =>
      (await overview()).parts.find((part) => part.name === name)?.bytes ?? 0
    expect(await getBytes("documents")).toBe(23)
    expect(await getBytes("database")).toBeGreaterThan(0)
    await box.client.files.remove({ params: { id, fileId } })
    expect(await getBytes("trash")).toBe(23)
    await box.client.storage.emptyTrash()
    expect(await getBytes("trash")).toBe(0)
    const { dataDir, freeBytes } = await overview()
    expect(dataDir).toBe(box.dataDir)
    expect(freeBytes).toBeGreaterThan(0)
  })

  // Catches megabytes whose purpose isn't shown.
  it("is assigned to named parts, except small files and files of others", async () => {
    const other = (await overview()).parts.find(({ name }) => name === "other")?.bytes ?? 0
    expect(other).toBeLessThan(100_000)
    await writeFile(join(box.dataDir, "others.bin"), Buffer.alloc(1_000))
    expect((await overview()).parts.find(({ name }) => name === "other")?.bytes).toBe(other + 1_000)
    const { bytes } = (await overview()).parts.find(({ name }) => name === "reserve") ?? { bytes: 0 }
    expect(bytes === 0 || bytes > 1_000_000).toBe(true) // no reserve is kept if the disk is nearly full
  })

  // Catches an ID that leads out of the directory of copies.
  it("shows copies of older states, which can be deleted only by their names", async () => {
    await mkdir(join(box.dataDir, "snapshots"), { recursive: true })
    await writeFile(join(box.dataDir, "snapshots", "schema-3.sqlite"), "old")
    expect((await overview()).copies).toMatchObject([{ id: "schema-3.sqlite", kind: "snapshot", bytes: 3 }])
    // it resolves to the list's own URL, which has no DELETE
    await expect(box.client.storage.removeCopy({ params: { id: ".." } })).rejects.toMatchObject({
      code: "method_not_allowed",
    })
    for (const id of [
      "casella.sqlite",
      "../casella.sqlite",
      "schema-4.sqlite",
      "before-restore-1/../folders",
    ]) {
      await expect(box.client.storage.removeCopy({ params: { id } })).rejects.toMatchObject({
        code: "not_found",
      })
    }
    expect(existsSync(join(box.dataDir, "casella.sqlite"))).toBe(true)
    await box.client.storage.removeCopy({ params: { id: "schema-3.sqlite" } })
    expect((await overview()).copies).toEqual([])
  })
})

describe("A backup", () => {
  it("can be downloaded after a restart, in ranges too, until it is deleted", async () => {
    await expect(box.client.storage.downloadBackup()).rejects.toMatchObject({ code: "not_found" })
    const whole = await (await completedBackup(box.client)).bytes()
    await box.restart()
    const { backup } = await box.client.storage.backup()
    expect(backup).toMatchObject({ status: "completed", sizeBytes: whole.length })
    const part = await box.client.storage.downloadBackup({}, { headers: { range: "bytes=10-19" } })
    expect(await part.bytes()).toEqual(whole.slice(10, 20))
    expect(part.headers.get("content-disposition")).toContain(backup?.fileName)
    await box.client.storage.removeBackup()
    expect((await box.client.storage.backup()).backup).toBeNull()
    expect(existsSync(join(box.dataDir, "backups"))).toBe(false)
  })

  // Catches a file that someone keeps next to the server's backups and that the next backup removes.
  it("replaces the previous backup and nothing else", async () => {
    await completedBackup(box.client)
    const own = join(box.dataDir, "backups", "before-the-move.tgz")
    await writeFile(own, "mine")
    await completedBackup(box.client)
    expect(await readdir(join(box.dataDir, "backups"))).toHaveLength(2)
    await box.client.storage.removeBackup()
    expect(await readdir(join(box.dataDir, "backups"))).toEqual(["before-the-move.tgz"])
  })

  it("runs only one at a time", async () => {
    const [first, second] = await Promise.allSettled([
      box.client.storage.startBackup(),
      box.client.storage.startBackup(),
    ])
    expect([first.status, second.status].toSorted()).toEqual(["fulfilled", "rejected"])
    await box.client.storage.removeBackup()
  })

  // Catches a backup that fails because of missing files when the only file of a folder is deleted while it is written.
  it("succeeds while the files of a folder are deleted", async () => {
    const { id, fileId } = await fill(box.client, "Short")
    await using rows = await getRows(box.dataDir)
    await using checker = createDatabaseChecker(spawnNodeChild)
    let copies = 0
    const target = join(box.dataDir, "backups", "short.tgz")
    await mkdir(join(box.dataDir, "backups"), { recursive: true })
    await writeBackup({
      dataDir: box.dataDir,
      stagingRoot: join(box.dataDir, "uploads"),
      async copyDatabase(path, signal) {
        await rows.copyTo(path, signal)
        if (copies++ === 0) await box.client.files.remove({ params: { id, fileId } })
      },
      checker,
      adoption: databaseAdoption,
      target,
    })
    expect(existsSync(target)).toBe(true)
  })
})

describe("Restoring", () => {
  const restore = (file: Blob) => box.client.storage.stageRestore({ file, fileName: "backup.tgz" })

  // Catches a restore that loses the existing data, or that happens before the owner restarts the server.
  it("happens at the next start, even from another server, and keeps the replaced data until it is deleted", async () => {
    await using other = await startTestBox()
    const { id, fileId } = await fill(other.client, "From elsewhere")
    const file = await completedBackup(other.client)
    const before = await fill(box.client, "Before")

    expect((await restore(file)).restore).toMatchObject({ people: 1, folders: 1, files: 1, chats: 0 })
    expect((await overview()).restore).not.toBeNull()
    expect((await box.client.folders.read({ params: { id: before.id } })).vector.name).toBe("Before")
    await box.restart()

    const restored = box.getClient(other.key)
    expect((await restored.folders.list()).vectors.map(({ name }) => name)).toEqual(["From elsewhere"])
    expect(await (await restored.files.content({ params: { id, fileId } })).text()).toBe(
      "The heron stands still.",
    )
    await expect(box.client.account.me()).rejects.toMatchObject({ code: "unauthorized" })

    const { copies, restore: waiting } = (await restored.storage.read()).storage
    expect(waiting).toBeNull()
    expect(copies).toMatchObject([{ kind: "replaced" }])
    const kept = join(box.dataDir, copies[0]?.id ?? "")
    expect(await readdir(join(kept, "folders", before.id))).toEqual(["heron.txt"])
    const params = { id: copies[0]?.id ?? "" }
    await expect(restored.storage.removeCopy({ params })).rejects.toMatchObject({ code: "forbidden" })
    const headers = await signIn(box.url, await box.box.signInToken())
    await createClient({ baseUrl: box.url, headers }).storage.removeCopy({ params })
    expect(existsSync(kept)).toBe(false)
  })

  it("can be cancelled", async () => {
    await restore(await completedBackup(box.client))
    await box.client.storage.discardRestore()
    const { name } = (await box.client.folders.create({ body: { name: "Stays" } })).vector
    await box.restart()
    expect((await box.client.folders.list()).vectors.map((folder) => folder.name)).toContain(name)
  })

  // Catches bytes of a refused file that stay on disk, and an error message that contains a path.
  it("refuses a file that isn't a backup and leaves nothing of it", async () => {
    const whole = await (await completedBackup(box.client)).bytes()
    for (const bytes of [
      new Uint8Array(),
      new TextEncoder().encode("no archive"),
      whole.slice(0, whole.length / 2),
    ]) {
      const refused = restore(new Blob([bytes]))
      await expect(refused).rejects.toMatchObject({ code: "unprocessable" })
      await refused.catch((error: Error) => expect(error.message).not.toContain("/"))
    }
    expect(await readdir(join(box.dataDir, "uploads"))).toEqual([])
    expect((await overview()).restore).toBeNull()
  })

  // Catches two uploads that share one location, and an interrupted upload that blocks the next one.
  it("accepts one backup at a time, and the next one after an interrupted upload", async () => {
    const start = (stream: ReadableStreamDefaultController) =>
      stream.enqueue(new TextEncoder().encode("--x\r\n"))
    const hanging = new AbortController()
    const headers = { "x-api-key": box.key, "content-type": "multipart/form-data; boundary=x" }
    const init = { method: "POST", headers, duplex: "half" }
    // An upload is refused while another one is processed, so this one retries until it is accepted, and then hangs.
    const hang = async (): Promise<void> => {
      const request = { ...init, body: new ReadableStream({ start }), signal: hanging.signal } as RequestInit
      const answer = await fetch(`${box.url}/api/public/storage/restore`, request).catch(() => null)
      if (answer !== null) await hang()
    }
    const first = hang()
    const outcome = () =>
      restore(new Blob(["x"])).then(
        () => "",
        (error: { code: string }) => error.code,
      )
    await expect.poll(outcome).toBe("conflict")
    hanging.abort()
    await first
    await expect.poll(outcome).toBe("unprocessable")
  })
})
