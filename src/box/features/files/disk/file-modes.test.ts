import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { startFolderServer, type FolderServer } from "../../../testing/folder-server.ts"

let base: string
let server: FolderServer
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "casella-modes-"))
  server = await startFolderServer({ dataDir: join(base, "data") })
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  await rm(base, { recursive: true, force: true })
})

const getMode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)
const file = new Blob(["new"])

// Catches a user's own file that colleagues or a web server can no longer read after a script has replaced it.
it.each([["old.txt"], ["new.txt"]])(
  "keeps the access rights of a file in a user's own directory that is replaced by %s",
  { tags: "unix" },
  async (fileName) => {
    const folder = join(base, "documents")
    await mkdir(folder)
    await writeFile(join(folder, "old.txt"), "old")
    await chmod(join(folder, "old.txt"), 0o604)
    const { files, folders } = server.getClient("alice")
    const { vector } = await folders.create({ body: { name: "Documents", folder } })
    const { id: fileId } = await server.fileIs("old.txt", "completed")
    await files.replace({ params: { id: vector.id, fileId }, file, fileName })
    expect(await getMode(join(folder, fileName))).toBe("604")
  },
)

// Catches an upload that only the box's user can read in a shared directory, or that everyone can read in a private one.
it.each([
  ["755", "644"],
  ["2770", "660"],
  ["700", "600"],
])(
  "gives a new file in a user's own directory with mode %s the mode %s",
  { tags: "unix" },
  async (mode, expected) => {
    const folder = join(base, "documents")
    await mkdir(folder)
    await chmod(folder, Number.parseInt(mode, 8))
    const { files, folders } = server.getClient("alice")
    const { vector } = await folders.create({ body: { name: "Documents", folder } })
    const before = process.umask(0o027)
    try {
      await files.upload({ params: { id: vector.id }, file, fileName: "new.txt" })
    } finally {
      process.umask(before)
    }
    expect(await getMode(join(folder, "new.txt"))).toBe(expected)
  },
)
