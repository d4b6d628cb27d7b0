import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { startFolderServer } from "../../../testing/folder-server.ts"
import { mountSmallDisk } from "../../../testing/disk.ts"

// Catches copies in the trash that accumulate with each attempt, documents that are missing from the list or listed twice when their drive
// is read-only, and a 500 without a reason.
it(
  "refuses each change on a drive that became read-only with an explanation, and keeps its content",
  { tags: "mount" },
  async () => {
    await using drive = await mountSmallDisk("4m")
    const dataDir = await mkdtemp(join(tmpdir(), "casella-read-only-"))
    await using stack = new AsyncDisposableStack()
    stack.defer(() => rm(dataDir, { recursive: true }))
    await writeFile(join(drive.path, "old.txt"), "old")
    let server = await startFolderServer({ dataDir })
    stack.defer(() => server[Symbol.asyncDispose]())
    const client = () => server.getClient("alice")
    const { vector } = await client().folders.create({ body: { name: "Documents", folder: drive.path } })
    const { id: fileId } = await server.fileIs("old.txt", "completed")
    const [folder, params, file] = [{ id: vector.id }, { id: vector.id, fileId }, new Blob(["new"])]
    const shown = async () =>
      (await client().files.list({ params: folder })).files.map(({ id, name, status }) => [id, name, status])

    drive.setReadOnly(true)
    for (const change of [
      () => client().files.remove({ params }),
      () => client().files.replace({ params, file, fileName: "old.txt" }),
      () => client().files.replace({ params, file, fileName: "new.txt" }),
      () => client().files.upload({ params: folder, file, fileName: "new.txt" }),
    ])
      await expect(change()).rejects.toMatchObject({
        message: expect.stringContaining("permissions") as string,
      })
    expect(await shown()).toEqual([[fileId, "old.txt", "completed"]])
    const trash = await readdir(join(dataDir, "trash"), { recursive: true })
    expect(trash.filter((name) => name.endsWith(".txt"))).toEqual([])

    drive.setReadOnly(false)
    await server[Symbol.asyncDispose]()
    server = await startFolderServer({ dataDir })
    await server.ingestion.whenIdle()
    expect(await shown()).toEqual([[fileId, "old.txt", "completed"]])
    expect(await readdir(drive.path)).toEqual(["old.txt"])
    expect(await readFile(join(drive.path, "old.txt"), "utf8")).toBe("old")
  },
)
