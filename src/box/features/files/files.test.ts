import { describe, expect, test } from "vitest"
import { startFolderServer } from "../../testing/folder-server.ts"

describe("a folder", () => {
  // Catches the whole way being broken anywhere: storing, queueing, reading, cutting, indexing, finding, deleting.
  test("takes a file, indexes it, finds it, gives it back and deletes it", async () => {
    await using server = await startFolderServer()
    const client = server.clientOf("alice")
    const { vector } = await client.folders.create({ body: { name: "Notes" } })
    const params = { id: vector.id }
    const receipt = await client.files.upload({
      params,
      file: new Blob(["# Penguins\n\nPenguins swim well and walk badly."]),
      fileName: "birds.md",
      relativePath: "animals/birds.md",
      clientId: "c-1",
    })
    const fileId = receipt.files[0]?.id ?? ""
    expect(receipt).toMatchObject({
      status: "accepted",
      collection: vector.id,
      task_ids: [fileId],
      files: [
        { filename: "birds.md", client_id: "c-1", relativePath: `${vector.id}/animals/birds.md`, size: 46 },
      ],
    })
    await server.ingestion.whenIdle()
    const { file } = await client.files.read({ params: { ...params, fileId } })
    expect(file).toMatchObject({
      status: "completed",
      phase: "done",
      progress: 100,
      error: null,
      folder: "animals",
    })

    const search = { query: "penguins", vector: [vector.id] }
    const { results } = await client.folders.search({ body: search })
    expect(results[0]).toMatchObject({
      fileId,
      fileName: "birds.md",
      relativePath: `${vector.id}/animals/birds.md`,
    })
    const text = await client.files.text({ params: { ...params, fileId } })
    expect(await text.text()).toContain("Penguins swim well")
    const content = await client.files.content({ params: { ...params, fileId } })
    expect(await content.text()).toContain("# Penguins")

    expect(await client.files.remove({ params: { ...params, fileId } })).toEqual({
      status: "deleted",
      deleted: true,
      file_id: fileId,
      errors: [],
    })
    expect((await client.folders.search({ body: search })).results).toEqual([])
    expect((await client.files.list({ params })).total).toBe(0)
  })
})
