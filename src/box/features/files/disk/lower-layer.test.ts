import { execFileSync } from "node:child_process"
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { expect, it } from "vitest"
import { startFolderServer } from "../../../testing/folder-server.ts"
import { mountSmallDisk } from "../../../testing/disk.ts"

/** Mounts a directory whose files are in a lower layer, as in live systems and container images. */
async function mountLayers(files: Record<string, string>) {
  await using stack = new AsyncDisposableStack()
  const [lower, changes] = [stack.use(await mountSmallDisk("4m")), stack.use(await mountSmallDisk("64m"))]
  await mkdir(join(lower.path, "documents"))
  for (const [name, text] of Object.entries(files)) await writeFile(join(lower.path, "documents", name), text)
  const [upper, work, path] = [
    join(changes.path, "upper"),
    join(changes.path, "work"),
    join(changes.path, "all"),
  ]
  for (const directory of [upper, work, path]) await mkdir(directory)
  const options = `lowerdir=${lower.path},upperdir=${upper},workdir=${work}`
  execFileSync("mount", ["-t", "overlay", "-o", options, "overlay", path])
  stack.defer(() => void execFileSync("umount", ["-l", path]))
  const held = stack.move()
  return { path, [Symbol.asyncDispose]: () => held.disposeAsync() }
}

// Catches a first change of such a file that is refused as another program's, and an old file that stays next to its replacement.
it.for(["in the same layers", "elsewhere"])(
  "changes files of a lower layer with the trash %s",
  { tags: "overlay" },
  async (where) => {
    await using layers = await mountLayers({ "a.txt": "a", "b.txt": "b", "c.txt": "c" })
    await using stack = new AsyncDisposableStack()
    const dataDir = await mkdtemp(join(where === "elsewhere" ? tmpdir() : layers.path, "casella-layers-"))
    stack.defer(() => rm(dataDir, { recursive: true }))
    const server = stack.use(await startFolderServer({ dataDir }))
    const { files, folders } = server.getClient("alice")
    const documents = join(layers.path, "documents")
    const { vector } = await folders.create({ body: { name: "Documents", folder: documents } })
    const getParams = async (name: string) => ({
      id: vector.id,
      fileId: (await server.fileIs(name, "completed")).id,
    })
    const file = new Blob(["new"])
    await files.remove({ params: await getParams("a.txt") })
    await files.replace({ params: await getParams("b.txt"), file, fileName: "b.txt" })
    await files.replace({ params: await getParams("c.txt"), file, fileName: "d.txt" })
    expect((await readdir(documents)).toSorted()).toEqual(["b.txt", "d.txt"])
    const trash = await readdir(join(dataDir, "trash"), { recursive: true })
    expect(
      trash
        .map((path) => basename(path))
        .filter((name) => name.endsWith(".txt"))
        .toSorted(),
    ).toEqual(["a.txt", "b.txt", "c.txt"])
  },
)
