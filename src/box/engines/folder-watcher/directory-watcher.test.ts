import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { FSWatcher } from "chokidar"
import { expect, onTestFinished, test } from "vitest"
import { watcherOfDirectories } from "./watch.ts"

// Catches a chokidar that calls stat on each of 30,000 files at once before it ignores them.
test("checks only directories", async () => {
  const root = await mkdtemp(join(tmpdir(), "casella-directories-"))
  onTestFinished(() => rm(root, { recursive: true }))
  await mkdir(join(root, "inner"))
  await mkdir(join(root, "left out"))
  await writeFile(join(root, "file.txt"), "text")
  await symlink(join(root, "inner"), join(root, "link"))

  const watcher = new (watcherOfDirectories(FSWatcher))()
  onTestFinished(() => watcher.close())
  const asked: string[] = []
  const scan = watcher.createScanStream(root, {
    directoryFilter({ basename, stats }) {
      asked.push(basename)
      return stats?.isDirectory() === true && basename !== "left out"
    },
  })
  const found = await scan?.toArray()
  expect(asked.toSorted()).toEqual(["inner", "left out", "link"])
  expect(found).toMatchObject([{ basename: "inner", dirent: { name: "inner" } }])
})
