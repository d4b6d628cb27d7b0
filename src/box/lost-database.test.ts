import { existsSync } from "node:fs"
import { cp, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { commands } from "./commands/registry.ts"
import { databasePath } from "./start-box.ts"
import { startTestBox, type TestBox } from "./testing/test-box.ts"

const boxesMs = 60_000

let root: string, dataDir: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "casella-lost-"))
  dataDir = join(root, "data")
})
afterEach(() => rm(root, { recursive: true, force: true }))

const namesOf = async ({ clientOf }: TestBox, key: string) =>
  (await clientOf(key).folders.list()).vectors.map(({ name }) => name).toSorted()
const logOf = async (directory: string) => {
  const names = await readdir(join(directory, "logs"))
  return (await Promise.all(names.map((name) => readFile(join(directory, "logs", name), "utf8")))).join("")
}

const older = (path: string) => `${path}.older`
const faults: [string, (path: string) => Promise<void>][] = [
  ["the write-ahead log is removed", (path) => rm(`${path}-wal`)],
  ["the database is removed", (path) => rm(path)],
  ["what programs share of it is removed", (path) => rm(`${path}-shm`)],
  ["an older copy takes its place", (path) => rename(older(path), path)],
]

describe.each(faults)("When %s while the box runs,", (_, harm) => {
  // Would catch: everything acknowledged, nothing told, and nothing of it there after the next start.
  it(
    "it takes nothing more, says so, and the next start has all that was stored",
    { timeout: boxesMs },
    async () => {
      const box = await startTestBox({ dataDir })
      const { key, client } = box
      const path = databasePath(dataDir)
      await cp(path, older(path))
      await client.folders.create({ body: { name: "Before" } })
      await harm(path)
      await expect(client.folders.create({ body: { name: "After" } })).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringContaining("Restart Casella") as string,
      })
      expect(await namesOf(box, key)).toEqual(["Before"])
      await vi.waitFor(() => expect(existsSync(join(dataDir, "restore-rescued"))).toBe(true), 10_000)
      const keysCreate = commands.find(({ words }) => words.join(" ") === "keys create")
      await expect(keysCreate?.run({ data: dataDir, name: "Lost" }, [])).rejects.toThrow("Restart Casella")
      const killed = join(root, "killed")
      await cp(dataDir, killed, { recursive: true })
      await box.box[Symbol.asyncDispose]()

      for (const directory of [killed, dataDir]) {
        await using again = await startTestBox({ dataDir: directory })
        expect(await namesOf(again, key)).toEqual(["Before"])
        await again.clientOf(key).folders.create({ body: { name: "After" } })
        const { copies } = (await again.clientOf(key).storage.read()).storage
        expect(copies).toEqual([expect.objectContaining({ kind: "replaced" })])
        expect(await logOf(directory)).toContain("A file of Casella's database was removed or replaced")
        await again.restart()
        expect(await namesOf(again, key)).toEqual(["After", "Before"])
      }
    },
  )
})
