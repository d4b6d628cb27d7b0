import { existsSync } from "node:fs"
import { mkdir, readdir, realpath, symlink, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Client } from "../../../shared/client/http-client.ts"
import { startFolderServer, type FolderServer } from "../../testing/folder-server.ts"
import { createFileFilter, selectFiles } from "../files/filtering/match-files.ts"
import { createFolderSearch, type SearchPassages } from "./reading.ts"

let server: FolderServer
let alice: Client
beforeAll(async () => {
  server = await startFolderServer()
  alice = server.getClient("alice")
})
afterAll(() => server[Symbol.asyncDispose]())

const getNames = async (client: Client) => (await client.folders.list()).vectors.map((vector) => vector.name)

describe("a managed folder", () => {
  // Catches wrong defaults, fields that get lost, and a null that doesn't clear a field.
  test("is created, read, changed and listed", async () => {
    const { vector } = await alice.folders.create({ body: { name: "  Reports  " } })
    expect(vector).toMatchObject({
      name: "Reports",
      description: "",
      topK: 8,
      filter: 0,
      strategy: "hybrid",
      pipeline: "full",
      visibility: "PRIVATE",
      owned: true,
      watched: false,
      paused: false,
      available: true,
      missingCount: 0,
      fileCount: 0,
    })
    expect(existsSync(vector.folder)).toBe(true)
    const params = { id: vector.id }
    const patch = {
      description: "Yearly",
      topK: 50,
      filter: 30,
      strategy: "keyword",
      iconName: "Box",
      accentColor: "#00aaFF",
    } as const
    const changed = (await alice.folders.update({ params, body: patch })).vector
    expect(changed).toEqual({ ...vector, ...patch })
    const cleared = {
      description: null,
      topK: null,
      filter: null,
      strategy: null,
      iconName: null,
      accentColor: null,
    }
    expect((await alice.folders.update({ params, body: cleared })).vector).toEqual(vector)
    expect((await alice.folders.read({ params })).vector).toEqual(vector)
    const { vectors } = await alice.folders.list()
    expect(vectors.find((entry) => entry.id === vector.id)).toMatchObject({
      name: "Reports",
      folder: vector.folder,
    })
  })

  // Catches out-of-range values that are clamped or accepted.
  test("is refused with out-of-range values, naming the field", async () => {
    const wrong = {
      name: "x".repeat(121),
      topK: 51,
      filter: 101,
      strategy: "magic",
      accentColor: "red",
      iconName: "lower",
      visibility: "ALL",
    }
    for (const [field, value] of Object.entries(wrong)) {
      const call = alice.folders.create({ body: { name: "x", ...({ [field]: value } as object) } })
      await expect(call, field).rejects.toMatchObject({ code: "validation", details: [{ field }] })
    }
    await expect(alice.folders.create({ body: {} as { name: string } })).rejects.toMatchObject({
      code: "validation",
    })
  })

  // Catches files, passages or bytes left behind, and bytes that are permanently lost.
  test("goes to the trash when it is deleted", async () => {
    const { vector } = await alice.folders.create({ body: { name: "Old" } })
    const params = { id: vector.id }
    await alice.files.upload({ params, file: new Blob(["a walrus"]), fileName: "a.txt" })
    await server.ingestion.whenIdle()
    const body = { query: "walrus", vector: [vector.id] }
    expect((await alice.folders.search({ body })).results).toHaveLength(1)
    expect(await alice.folders.remove({ params })).toMatchObject({ success: true, id: vector.id })
    await server.endDeletions()
    expect(existsSync(vector.folder)).toBe(false)
    const kept = await readdir(join(server.dataDir, "trash"), { recursive: true })
    expect(kept.some((path) => path.endsWith(join(vector.id, "a.txt")))).toBe(true)
    await expect(alice.folders.search({ body })).rejects.toMatchObject({
      code: "not_found",
      details: [vector.id],
    })
    expect(await server.index.keyword("walrus", [vector.id], 5)).toEqual([])
    await expect(alice.folders.remove({ params })).rejects.toMatchObject({ code: "not_found" })
  })
})

describe("other people", () => {
  // Catches a folder that others can see or change although its owner didn't share it.
  test("see the folders shared with them and can't change them", async () => {
    const { vector } = await alice.folders.create({ body: { name: "Shared" } })
    const params = { id: vector.id }
    const [bob, carol] = [server.getClient("bob"), server.getClient("carol")]
    const seenBy = async () =>
      [await getNames(bob), await getNames(carol)].map((names) => names.includes("Shared"))
    const mayRead = async (client: Client) =>
      client.folders.read({ params }).then(
        () => true,
        () => false,
      )

    expect(await seenBy()).toEqual([false, false])
    await expect(bob.folders.read({ params })).rejects.toMatchObject({ code: "not_found" })
    await alice.folders.update({ params, body: { visibility: "TEAM" } })
    expect([await seenBy(), await mayRead(bob), await mayRead(carol)]).toEqual([[true, false], true, false])
    await alice.folders.update({ params, body: { visibility: "PUBLIC" } })
    expect([await seenBy(), await mayRead(carol)]).toEqual([[true, true], true])
    expect((await carol.folders.read({ params })).vector.owned).toBe(false)
    await expect(bob.folders.update({ params, body: { name: "Mine" } })).rejects.toMatchObject({
      code: "not_found",
    })
    await expect(bob.folders.remove({ params })).rejects.toMatchObject({ code: "not_found" })
  })

  // Catches notifications about private folders that reach everyone.
  test("are notified only about what they may see", async () => {
    const { vector } = await alice.folders.create({ body: { name: "Quiet" } })
    const push = await server.pushed(
      ({ message }) => message.type === "folder" && message.vectorId === vector.id,
    )
    expect(push.userIds).toEqual(["alice"])
    await alice.files.upload({ params: { id: vector.id }, file: new Blob(["x"]), fileName: "quiet.txt" })
    const news = await server.pushed(
      ({ message }) => message.type === "file" && message.file.name === "quiet.txt",
    )
    expect(news.userIds).toEqual(["alice"])
  })

  // Catches citation links that show a passage from another folder or another person.
  test("can open a passage by its ID if they may see its folder", async () => {
    const { vector } = await alice.folders.create({ body: { name: "Links" } })
    const other = (await alice.folders.create({ body: { name: "Others" } })).vector
    const file = new Blob(["The ferry to Elba leaves at nine."])
    await alice.files.upload({ params: { id: vector.id }, file, fileName: "elba.txt" })
    await server.fileIs("elba.txt", "completed")
    const { results } = await alice.folders.search({ body: { query: "ferry", vector: [vector.id] } })
    const passageId = results[0]?.id ?? ""
    const params = { id: vector.id, passageId }
    expect((await alice.folders.passage({ params })).passage).toMatchObject({
      id: passageId,
      fileName: "elba.txt",
      text: "The ferry to Elba leaves at nine.",
    })
    const notFound = { code: "not_found" }
    await expect(alice.folders.passage({ params: { id: other.id, passageId } })).rejects.toMatchObject(
      notFound,
    )
    await expect(alice.folders.passage({ params: { ...params, passageId: "gone" } })).rejects.toMatchObject(
      notFound,
    )
    await expect(server.getClient("bob").folders.passage({ params })).rejects.toMatchObject(notFound)
  })

  // Catches a search that reaches into other people's folders.
  test("can't search folders that they may not see", async () => {
    const { vector } = await alice.folders.create({ body: { name: "Secret" } })
    const own = (await server.getClient("bob").folders.create({ body: { name: "Own" } })).vector
    const body = { query: "anything", vector: [own.id, vector.id] }
    await expect(server.getClient("bob").folders.search({ body })).rejects.toMatchObject({
      details: [vector.id],
    })
  })
})

describe("a directory to follow", () => {
  // Catches following a directory of the system, the server's own database, or a file.
  test("must be an existing directory that belongs to the user", async () => {
    const documents = await realpath(dirname(server.dataDir)).then((parent) =>
      join(parent, `documents-${process.pid}`),
    )
    await mkdir(documents, { recursive: true })
    await writeFile(join(documents, "file.txt"), "x")
    await symlink(server.dataDir, join(documents, "link"))
    const refused = [
      "relative/path",
      "",
      "/",
      "/etc",
      "/usr/share",
      "/proc/self",
      homedir(),
      join(documents, "missing"),
      join(documents, "file.txt"),
      join(documents, "a\0b"),
      server.dataDir,
      join(server.dataDir, "index"),
      dirname(server.dataDir),
      join(documents, "link"),
    ]
    for (const folder of refused) {
      const call = alice.folders.create({ body: { name: "Watched", folder } })
      await expect(call, JSON.stringify(folder)).rejects.toMatchObject({
        code: "validation",
        details: [{ field: "folder" }],
      })
    }
    const { vector } = await alice.folders.create({ body: { name: "Watched", folder: documents } })
    expect(vector).toMatchObject({ watched: true, folder: documents })
    await server.fileIs("file.txt", "completed")
    expect((await alice.folders.read({ params: { id: vector.id } })).vector).toMatchObject({
      fileCount: 1,
      pendingCount: 0,
    })
    await alice.folders.remove({ params: { id: vector.id } })
  })
})

describe("searching several folders", () => {
  // Catches one folder's settings being used for all.
  test("uses the largest topK, a common strategy and each folder's own filter", async () => {
    const a = (await alice.folders.create({ body: { name: "A", topK: 3, filter: 60, strategy: "keyword" } }))
      .vector.id
    const b = (await alice.folders.create({ body: { name: "B", topK: 9, filter: 20, strategy: "keyword" } }))
      .vector.id
    const c = (await alice.folders.create({ body: { name: "C", strategy: "semantic" } })).vector.id
    const requests: Parameters<SearchPassages>[0][] = []
    const search = createFolderSearch(
      server.db,
      (request) => {
        requests.push(request)
        return Promise.resolve({ results: [], others: [], strategy: request.strategy, notices: [] })
      },
      (folders, filter) => selectFiles(createFileFilter(server.db), folders, filter),
    )
    await search({ query: "x", vectorIds: [a, b] })
    await search({ query: "x", vectorIds: [a, c] })
    await search({ query: "x", vectorIds: [a], topK: 1, strategy: "hybrid" })
    expect(requests).toMatchObject([
      { topK: 9, strategy: "keyword" },
      { topK: 8, strategy: "hybrid" },
      { topK: 1, strategy: "hybrid" },
    ])
    const filters = requests.map((request) => Object.fromEntries(request.filters))
    expect(filters).toEqual([{ [a]: 60, [b]: 20 }, { [a]: 60, [c]: 0 }, { [a]: 60 }])
    expect(await search({ query: "x", vectorIds: ["gone"] })).toMatchObject({ results: [] })
  })
})
