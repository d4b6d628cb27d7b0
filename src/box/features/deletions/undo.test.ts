import { readdir, rm, stat, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Client } from "../../../shared/client/http-client.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { startModelServer, type ModelServer } from "../../testing/model-servers/model-server.ts"
import { makeWorld, worldModel } from "../../testing/owned-world.ts"
import { mountSmallDisk } from "../../testing/disk.ts"
import { addUser, startTestBox, type TestBox } from "../../testing/test-box.ts"
import { waitFor } from "../../../shared/testing/wait-for.ts"

let box: TestBox
beforeEach(async () => {
  box = await startTestBox()
})
afterEach(() => box[Symbol.asyncDispose]())

const undo = (token: string, client: Client = box.client) => client.deletions.undo({ body: { token } })
const getCode = (work: Promise<unknown>) =>
  work.then(
    () => "worked",
    (error: unknown) => (error instanceof AppError ? error.code : "other"),
  )

/** Creates a folder with an indexed file. */
async function indexed(text = "The walrus sings.", fileName = "a.txt") {
  const { vector } = await box.client.folders.create({ body: { name: "Handbook" } })
  const params = { id: vector.id }
  const upload = await box.client.files.upload({ params, file: new Blob([text]), fileName })
  const fileId = upload.files[0]?.id ?? ""
  const file = { id: vector.id, fileId }
  await waitFor(async () => {
    expect((await box.client.files.read({ params: file })).file.status).toBe("completed")
  })
  return { params, file }
}

const found = async (vector: string, query = "walrus") =>
  (await box.client.folders.search({ body: { query, vector: [vector], strategy: "keyword" } })).results

describe("A folder", () => {
  // Catches a folder that is restored without its files, passages or settings, or that is still shown while it is deleted.
  it("is restored with its files, which are found as before", async () => {
    const { params, file } = await indexed()
    const before = await box.client.folders.read({ params })
    const [passage] = await found(params.id)
    const removed = await box.client.folders.remove({ params })
    expect(removed).toMatchObject({ success: true, id: params.id })
    expect(Date.parse(removed.undo.until) - Date.now()).toBeGreaterThan(30_000)
    expect((await box.client.folders.list()).vectors).toEqual([])
    expect(await getCode(box.client.files.read({ params: file }))).toBe("not_found")
    expect(await undo(removed.undo.token)).toEqual({ success: true, kind: "folder", id: params.id })
    expect(await box.client.folders.read({ params })).toEqual(before)
    expect((await found(params.id))[0]?.id).toBe(passage?.id)
    await box.client.files.upload({ params, file: new Blob(["otter"]), fileName: "b.txt" })
    await waitFor(async () => expect(await found(params.id, "otter")).toHaveLength(1))
  })

  // Catches a paused folder that resumes by itself.
  it("that was paused is restored paused", async () => {
    const { params } = await indexed()
    await box.client.folders.update({ params, body: { paused: true } })
    const { undo: deletion } = await box.client.folders.remove({ params })
    await undo(deletion.token)
    expect((await box.client.folders.read({ params })).vector.paused).toBe(true)
  })

  // Catches a chat's folder that can't be restored because the chat has a new one, two folders for one chat, and attachments that are lost
  // or hidden.
  it("of a chat belongs to the chat again, and the one created in the meantime becomes an ordinary folder", async () => {
    const params = { id: "walruses" }
    const first = (await box.client.conversations.folder({ params })).vector
    const attach = (id: string, fileName: string) =>
      box.client.files.upload({ params: { id }, file: new Blob(["walrus"]), fileName })
    await attach(first.id, "first.txt")
    const { undo: deletion } = await box.client.folders.remove({ params: { id: first.id } })
    const second = (await box.client.conversations.folder({ params })).vector
    expect(second.id).not.toBe(first.id)
    await attach(second.id, "second.txt")
    const others = await addUser(box, "ann@example.com")
    const { vector: another } = await others.conversations.folder({ params })
    expect(await undo(deletion.token)).toMatchObject({ id: first.id })
    expect((await box.client.conversations.folder({ params })).vector.id).toBe(first.id)
    expect((await others.conversations.folder({ params })).vector.id).toBe(another.id)
    expect((await box.client.folders.list()).vectors.map(({ id }) => id)).toEqual([second.id])
    for (const [id, name] of [
      [first.id, "first.txt"],
      [second.id, "second.txt"],
    ] as const)
      expect((await box.client.files.list({ params: { id } })).files.map((file) => file.name)).toEqual([name])
  })
})

describe("A file", () => {
  // Catches a file that is read again, gets a new ID, loses its passages or its bytes, or is found while it is deleted.
  it("is restored with its bytes, its text and its passages", async () => {
    const { params, file } = await indexed()
    const before = (await box.client.files.read({ params: file })).file
    const [passage] = await found(params.id)
    const removed = await box.client.files.remove({ params: file })
    expect(removed).toMatchObject({ deleted: true, file_id: file.fileId, errors: [] })
    expect(await found(params.id)).toEqual([])
    expect((await box.client.files.list({ params })).files).toEqual([])
    expect(await readdir(join(box.dataDir, "folders", params.id))).toEqual([])
    await undo(removed.undo.token)
    expect((await box.client.files.read({ params: file })).file).toEqual(before)
    expect(await (await box.client.files.content({ params: file })).text()).toBe("The walrus sings.")
    expect((await found(params.id))[0]?.id).toBe(passage?.id)
    await box.restart()
    expect((await box.client.files.read({ params: file })).file).toEqual(before)
    expect((await found(params.id))[0]?.id).toBe(passage?.id)
  })

  // Catches a restore that replaces another person's upload of the same name.
  it("whose name was taken in the meantime is restored under a numbered name", async () => {
    const { params, file } = await indexed()
    const { undo: deletion } = await box.client.files.remove({ params: file })
    await box.client.files.upload({ params, file: new Blob(["another"]), fileName: "a.txt" })
    await undo(deletion.token)
    const { files } = await box.client.files.list({ params })
    expect(files.map(({ name }) => name).toSorted()).toEqual(["a (2).txt", "a.txt"])
    expect(files.find(({ id }) => id === file.fileId)?.name).toBe("a (2).txt")
  })

  // Catches a token that is used up by a failed attempt, and a row without bytes.
  it("whose bytes are gone from the trash stays deleted, and the error says why", async () => {
    const { params, file } = await indexed()
    const { undo: deletion } = await box.client.files.remove({ params: file })
    await rm(join(box.dataDir, "trash"), { recursive: true })
    await expect(undo(deletion.token)).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringContaining("trash") as string,
    })
    expect((await box.client.files.list({ params })).files).toEqual([])
  })

  // Catches a token that can't restore anything, and one that restores a row under another file's name.
  it("whose bytes were already missing from its folder is restored unchanged, unless its name is taken", async () => {
    const { params, file } = await indexed()
    await box.client.folders.update({ params, body: { paused: true } })
    await rm(join(box.dataDir, "folders", params.id, "a.txt"))
    const before = (await box.client.files.list({ params })).files
    const first = await box.client.files.remove({ params: file })
    expect((await box.client.files.list({ params })).files).toEqual([])
    await undo(first.undo.token)
    expect((await box.client.files.list({ params })).files).toEqual(before)
    const second = await box.client.files.remove({ params: file })
    await box.client.files.upload({ params, file: new Blob(["another"]), fileName: "a.txt" })
    expect(await getCode(undo(second.undo.token))).toBe("not_found")
    expect((await box.client.files.list({ params })).total).toBe(1)
  })

  // Catches a restored file that gets the date of its copy in the trash, or of the copy of that.
  it("on a different disk from the data directory keeps its date", { tags: "mount" }, async () => {
    await using drive = await mountSmallDisk("4m")
    const path = join(drive.path, "a.txt")
    await writeFile(path, "The walrus sings.")
    await utimes(path, new Date(), new Date("2020-02-20T20:20:20.202Z"))
    const { vector } = await box.client.folders.create({ body: { name: "Drive", folder: drive.path } })
    const params = { id: vector.id }
    const listed = async () => (await box.client.files.list({ params })).files
    await expect.poll(async () => (await listed())[0]?.status).toBe("completed")
    const before = await listed()
    const { undo: deletion } = await box.client.files.remove({
      params: { ...params, fileId: before[0]?.id ?? "" },
    })
    expect(await readdir(drive.path)).toEqual([])
    await undo(deletion.token)
    expect(await listed()).toEqual(before)
    expect((await stat(path)).mtime.toISOString()).toBe("2020-02-20T20:20:20.202Z")
  })

  // Catches a file that is restored into a folder that no one has.
  it("of a folder that was deleted later can be restored after the folder", async () => {
    const { params, file } = await indexed()
    const first = await box.client.files.remove({ params: file })
    const second = await box.client.folders.remove({ params })
    expect(await getCode(undo(first.undo.token))).toBe("not_found")
    await undo(second.undo.token)
    await undo(first.undo.token)
    expect((await box.client.files.list({ params })).files.map(({ id }) => id)).toEqual([file.fileId])
  })
})

describe("A chat", () => {
  /** Returns everything that shows the chat to its owner. */
  async function shown(id: string) {
    const { conversations, chat, queue } = box.client
    const params = { id }
    const chatParams = { chatId: id }
    const ways = {
      listed: async () => (await conversations.list({ query: {} })).chats.filter((one) => one.id === id),
      found: async () =>
        (await conversations.search({ query: { query: canary } })).results.filter((hit) => hit.chatId === id),
      read: () => conversations.read({ params }),
      approvals: () => chat.approvals({ params: chatParams }),
      queue: async () => (await queue.list({ params })).entries.map(({ content }) => content),
      queues: () => queue.chats(),
      file: async () => (await chat.file({ params: { id, fileId } })).text(),
    }
    const seen: Record<string, unknown> = {}
    for (const [name, read] of Object.entries(ways))
      seen[name] = await read().catch((error: unknown) => (error as AppError).code)
    return seen
  }
  const canary = "canary-3c55"
  const id = `${canary}-waiting`
  let model: ModelServer
  let fileId = ""
  beforeEach(async () => {
    model = await startModelServer(worldModel(canary))
    await box.restart({ model: model.baseUrl })
    fileId = (await makeWorld(box, canary))["madeFile"] ?? ""
  })
  afterEach(() => model[Symbol.asyncDispose]())

  // Catches a chat that is restored without its answers, queue, tool files or attachments, a chat folder that resumes by itself, and
  // anything still shown while the chat is deleted.
  it("is restored with everything in it", async () => {
    const { vector } = await box.client.conversations.folder({ params: { id } })
    const attachment = { params: { id: vector.id }, file: new Blob(["attached"]), fileName: "a.txt" }
    await box.client.files.upload(attachment)
    await waitFor(async () => {
      const [file] = (await box.client.files.list({ params: { id: vector.id } })).files
      expect(file?.status).toBe("completed")
    })
    await box.client.folders.update({ params: { id: vector.id }, body: { paused: true } })
    const before = await shown(id)
    expect(before).toMatchObject({ queue: [`And what of ${canary}?`], file: canary })
    const removed = await box.client.conversations.remove({ params: { id } })
    await box.restart()
    expect(await shown(id)).toEqual({
      listed: [],
      found: [],
      read: "not_found",
      approvals: { approvals: [] },
      queue: [],
      queues: { chats: [] },
      file: "not_found",
    })
    expect(await getCode(box.client.files.list({ params: { id: vector.id } }))).toBe("not_found")
    expect(await undo(removed.undo.token)).toEqual({ success: true, kind: "chat", id })
    expect(await shown(id)).toEqual(before)
    const own = await box.client.conversations.folder({ params: { id } })
    expect(own.vector).toMatchObject({ id: vector.id, fileCount: 1, paused: true })
  })

  // Catches a folder for an unasked question that makes the deletion final or prevents the restore.
  it("is restored with its folder although its ID was given another", async () => {
    const { vector: first } = await box.client.conversations.folder({ params: { id } })
    const { undo: deletion } = await box.client.conversations.remove({ params: { id } })
    const { vector: second } = await box.client.conversations.folder({ params: { id } })
    expect(second.id).not.toBe(first.id)
    const attachment = { params: { id: second.id }, file: new Blob(["attached"]), fileName: "a.txt" }
    await box.client.files.upload(attachment)
    await undo(deletion.token)
    expect((await box.client.conversations.read({ params: { id } })).chat.id).toBe(id)
    expect((await box.client.conversations.folder({ params: { id } })).vector.id).toBe(first.id)
    expect((await box.client.folders.list()).vectors.map((folder) => folder.id)).toContain(second.id)
    expect((await box.client.files.list({ params: { id: second.id } })).total).toBe(1)
  })

  // Catches two chats of the same ID that are mixed, and a token that restores the first into the second.
  it("whose ID is reused is permanently deleted", async () => {
    const { undo: deletion } = await box.client.conversations.remove({ params: { id } })
    const messages = [{ role: "user" as const, content: "Anew" }]
    for await (const event of box.client.chat.send({ body: { id, messages, boxAddress: box.url } }))
      if (event.type === "finish") break
    expect(await getCode(undo(deletion.token))).toBe("not_found")
    const { chat } = await box.client.conversations.read({ params: { id } })
    expect(chat.messages.map(({ content }) => content)).toEqual(["Anew", expect.any(String)])
    expect((await box.client.queue.list({ params: { id } })).entries).toEqual([])
  })
})

describe("An assistant", () => {
  // Catches an assistant that is restored under another owner, without its settings, or with a handle that is used twice.
  it("is restored completely, and its handle is free in the meantime", async () => {
    const { assistants } = box.client
    const { assistant } = await assistants.create({ body: { name: "Clerk", instructions: "File it." } })
    const params = { id: assistant.id }
    const first = await assistants.remove({ params })
    expect((await assistants.list({ query: {} })).assistants).toEqual([])
    expect(await getCode(assistants.read({ params }))).toBe("not_found")
    await undo(first.undo.token)
    expect((await assistants.read({ params })).assistant).toEqual(assistant)
    const second = await assistants.remove({ params })
    expect((await assistants.create({ body: { name: "Clerk" } })).assistant.handle).toBe("clerk")
    await undo(second.undo.token)
    expect((await assistants.read({ params })).assistant.handle).toBe("clerk2")
  })
})

describe("A backup", () => {
  // Catches a restore preview that lists deleted items, and a token that restores them afterwards.
  it(
    "made after a deletion is described without the deleted items, which are permanently deleted by the restore",
    { tags: "rows-in-file" },
    async () => {
      const { client } = box
      const kept = await indexed()
      const upload = { params: kept.params, file: new Blob(["otter"]), fileName: "b.txt" }
      const fileId = (await client.files.upload(upload)).files[0]?.id ?? ""
      const { params } = await indexed()
      for (const id of ["kept", "deleted"]) {
        const messages = [{ role: "user" as const, content: "Walrus?" }]
        const body = { id, messages, boxAddress: box.url, vector: [kept.params.id] }
        for await (const event of client.chat.send({ body })) if (event.type === "finish") break
      }
      const removed = [
        await client.files.remove({ params: { ...kept.params, fileId } }),
        await client.folders.remove({ params }),
        await client.conversations.remove({ params: { id: "deleted" } }),
      ]
      await client.storage.startBackup()
      const status = async () => (await client.storage.backup()).backup?.status
      await expect.poll(status).toBe("completed")
      const file = await (await client.storage.downloadBackup()).blob()
      const { restore } = await client.storage.stageRestore({ file, fileName: "backup.tgz" })
      expect(restore).toMatchObject({ people: 1, folders: 1, files: 1, chats: 1 })
      await box.restart()
      for (const { undo: deletion } of removed) expect(await getCode(undo(deletion.token))).toBe("not_found")
      expect((await box.client.folders.list()).vectors.map(({ id }) => id)).toEqual([kept.params.id])
    },
  )
})

describe("A token", () => {
  async function deleted() {
    const { assistant } = await box.client.assistants.create({ body: { name: "Clerk" } })
    const { undo: deletion } = await box.client.assistants.remove({ params: { id: assistant.id } })
    return { id: assistant.id, token: deletion.token }
  }

  it("works once", async () => {
    const { token } = await deleted()
    expect(await Promise.all([getCode(undo(token)), getCode(undo(token))])).toContain("not_found")
    expect(await getCode(undo(token))).toBe("not_found")
    expect((await box.client.assistants.list({ query: {} })).assistants).toHaveLength(1)
  })

  it("that is unknown, empty or belongs to someone else has no effect", async () => {
    const { id, token } = await deleted()
    const other = await addUser(box, "ann@example.com")
    expect(await getCode(undo(token, other))).toBe("not_found")
    expect(await getCode(undo(`${token}x`))).toBe("not_found")
    expect(await getCode(undo(""))).toBe("validation")
    expect((await box.client.assistants.list({ query: {} })).assistants).toEqual([])
    expect(await undo(token)).toMatchObject({ id })
  })

  it("survives a restart", async () => {
    const { id, token } = await deleted()
    await box.restart()
    expect(await undo(token)).toMatchObject({ kind: "assistant", id })
  })

  // Catches a key with limited rights that restores items of another kind.
  it("grants no more than the rights of its user", async () => {
    const { token } = await deleted()
    const keyFor = async (scope: "assistants" | "folders" | "read-only") =>
      box.getClient((await box.client.keys.create({ body: { name: scope, scopes: [scope] } })).key)
    expect(await getCode(undo(token, await keyFor("folders")))).toBe("forbidden")
    expect(await getCode(undo(token, await keyFor("read-only")))).toBe("forbidden")
    expect(await getCode(undo(token, await keyFor("assistants")))).toBe("worked")
  })

  // Catches items that are kept forever although no one can restore them, and a token that works too late.
  it("expires, and the deleted items are then permanently removed", { tags: "rows-in-file" }, async () => {
    await using short = await startTestBox({}, 0)
    const { assistants, folders, deletions } = short.client
    const { assistant } = await assistants.create({ body: { name: "Clerk" } })
    const { vector } = await folders.create({ body: { name: "Handbook" } })
    const params = { id: vector.id }
    await short.client.files.upload({ params, file: new Blob(["walrus"]), fileName: "a.txt" })
    const [file] = (await short.client.files.list({ params })).files
    const gone = [
      await assistants.remove({ params: { id: assistant.id } }),
      await short.client.files.remove({ params: { ...params, fileId: file?.id ?? "" } }),
      await folders.remove({ params }),
    ]
    for (const { undo: deletion } of gone)
      expect(await getCode(deletions.undo({ body: { token: deletion.token } }))).toBe("not_found")
    const database = new SqliteDatabase(join(short.dataDir, "casella.sqlite"), { readonly: true })
    const tables = ["assistants", "folders", "files", "deletions"]
    const rows = () => tables.flatMap((table) => database.prepare(`SELECT 1 FROM ${table}`).all())
    await expect.poll(rows).toEqual([])
    database.close()
    await expect.poll(() => readdir(join(short.dataDir, "folders"))).toEqual([])
  })
})
