import { execFileSync } from "node:child_process"
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { sql } from "kysely"
import { expect, it } from "vitest"
import { startFolderServer } from "../../../testing/folder-server.ts"

// Catches a deleted folder whose files stay forever, and refused bytes that stay in a file's place. Files arrive in a bind mount as copies,
// although the device is the same.
it("changes files when the upload directory is a bind mount", { tags: "mount" }, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "casella-bind-"))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(dataDir, { recursive: true }))
  const [folders, otherDirectory] = [join(dataDir, "folders"), join(dataDir, "elsewhere")]
  for (const directory of [folders, otherDirectory]) await mkdir(directory)
  execFileSync("mount", ["--bind", otherDirectory, folders])
  stack.defer(() => void execFileSync("umount", ["-l", folders]))
  const server = stack.use(await startFolderServer({ dataDir }))
  const client = server.getClient("alice")
  const { vector } = await client.folders.create({ body: { name: "Documents" } })
  const folder = { id: vector.id }
  const upload = async (fileName: string) => {
    const { files } = await client.files.upload({ params: folder, file: new Blob(["old"]), fileName })
    return { ...folder, fileId: files[0]?.id ?? "" }
  }
  const file = new Blob(["new"])
  await client.files.remove({ params: await upload("a.txt") })
  await client.files.replace({ params: await upload("b.txt"), file, fileName: "b.txt" })
  await client.files.replace({ params: await upload("c.txt"), file, fileName: "d.txt" })
  expect((await readdir(vector.folder)).toSorted()).toEqual(["b.txt", "d.txt"])

  const params = await upload("e.txt")
  await sql`CREATE TRIGGER refusal BEFORE UPDATE OF revision ON files BEGIN SELECT RAISE(ABORT, 'no room'); END`.execute(
    server.db,
  )
  await expect(client.files.replace({ params, file, fileName: "e.txt" })).rejects.toMatchObject({
    code: "internal",
  })
  expect(await readFile(join(vector.folder, "e.txt"), "utf8")).toBe("old")
  for (const name of ["b.txt", "d.txt"]) expect(await readFile(join(vector.folder, name), "utf8")).toBe("new")
  const trash = (await readdir(join(dataDir, "trash"), { recursive: true })).map((path) => basename(path))
  expect(trash.filter((name) => name.endsWith(".txt")).toSorted()).toEqual(["a.txt", "b.txt", "c.txt"])

  await client.folders.remove({ params: folder })
  await server.endDeletions()
  await expect.poll(() => readdir(folders)).toEqual([])
  expect(await readdir(join(dataDir, "trash"), { recursive: true })).toContainEqual(
    expect.stringMatching(/e\.txt$/),
  )
})
