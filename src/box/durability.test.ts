import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { createClient, type Client } from "../shared/client/http-client.ts"
import { checkIntegrity } from "./core/database.ts"
import { databasePath } from "./start-box.ts"
import { startBoxProcess } from "./testing/box-process.ts"

const rounds = 8
let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "casella-kill-"))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

/** A repeatable stream of numbers from 0 to 1. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

// Would catch: an answer sent before the write is on disk, uploads stuck after a crash, rows written twice, half files.
it("kill -9 at random moments loses nothing acknowledged and duplicates nothing", async () => {
  const next = random(20_261_120)
  const acknowledged = new Map<string, string>()
  const attempted = new Set<string>()
  const renamed = new Map<string, string>()
  let key = ""
  let folderId = ""
  let count = 0

  for (let round = 0; round < rounds; round++) {
    const box = await startBoxProcess(dataDir)
    key ||= box.firstRunKey ?? ""
    const client = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
    if (round === 0) folderId = (await client.folders.create({ body: { name: "Ledger" } })).vector.id
    await verify(client)

    const writes = Math.floor(next() * 12)
    let done = 0
    const killed = new Promise<void>((resolve) => {
      const work = async () => {
        for (;;) {
          const name = `note-${String(count++)}.txt`
          const text = `Entry ${name} says ${String(next())}.`
          attempted.add(name)
          const receipt = await client.files.upload({
            params: { id: folderId },
            file: new Blob([text]),
            fileName: name,
          })
          acknowledged.set(receipt.files[0]?.id ?? "", text)
          const title = `Name ${String(count)}`
          await client.folders.update({ params: { id: folderId }, body: { description: title } })
          renamed.set("description", title)
          if (++done === writes) void box.stop("SIGKILL")
        }
      }
      // Three writers at once, so that the kill lands between their steps; the cut connection ends them.
      void Promise.allSettled([work(), work(), work()]).then(() => resolve())
      if (writes === 0) void box.stop("SIGKILL")
    })
    await killed
  }

  const box = await startBoxProcess(dataDir)
  await verify(createClient({ baseUrl: box.url, headers: { "x-api-key": key } }), true)
  expect(await box.stop()).toBe(0)
  checkIntegrity(databasePath(dataDir))
  expect(await readdir(join(dataDir, "uploads")).catch(() => [])).toEqual([])

  async function verify(client: Client, finished = false): Promise<void> {
    const { files } = await client.files.list({ params: { id: folderId }, query: { limit: 500 } })
    const ids = files.map((file) => file.id)
    for (const id of acknowledged.keys()) expect(ids).toContain(id)
    expect(new Set(files.map((file) => file.name)).size).toBe(files.length)
    for (const file of files) expect(attempted).toContain(file.name)
    if (!finished) return
    for (const [fileId, text] of acknowledged) {
      const content = await client.files.content({ params: { id: folderId, fileId } })
      expect(await content.text()).toBe(text)
    }
    const settled = async () =>
      (await client.files.list({ params: { id: folderId }, query: { limit: 500 } })).files.filter(
        (file) => file.status !== "completed",
      )
    await expect.poll(settled, { timeout: 60_000 }).toEqual([])
  }
}, 180_000)
