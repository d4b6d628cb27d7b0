import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import type { CatalogueModel, ModelDownload } from "../../../../shared/contract/models.ts"
import { silentLogger } from "../../../core/logging/logger.ts"
import { ensureTestModel } from "../../../engines/llama/testing/test-models.ts"
import { openOutbound, type OpenOutbound } from "../../../core/outbound/testing/open-outbound.ts"
import { createDownloads, type Downloads } from "./downloads.ts"
import { sha256, startHubServer, type HubServer } from "../testing/hub-server.ts"
import { waitFor } from "../../../../shared/testing/wait-for.ts"

const model = await readFile(ensureTestModel())
/** Number of bytes in a share of the model. */
const part = (share: number) => Math.floor(model.length * share)
const source = { repo: "someone/Some-Model-GGUF", file: "some-model-Q4_K_M.gguf", revision: "main" }
const catalogued: CatalogueModel = {
  ...source,
  id: "some-model",
  name: "Some Model",
  purpose: "chat",
  sizeBytes: model.length,
  sha256: sha256(model),
  licence: "MIT",
  contextSize: 4_096,
  memoryBytes: 1_000_000,
  languages: ["en"],
}

let directory: string
let hub: HubServer
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-models-"))
  hub = await startHubServer(model)
})
afterEach(async () => {
  await hub[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

interface Options {
  silenceMs?: number
  mirror?: string
  outbound?: OpenOutbound
}

interface Watched extends AsyncDisposable {
  downloads: Downloads
  /** Paths of finished files that should be used at once. */
  used: string[]
  /** Resolves with the next notification of this status; earlier ones are ignored. */
  until(status: ModelDownload["status"]): Promise<ModelDownload>
}

function open({ silenceMs = 10_000, mirror = hub.url, outbound = openOutbound() }: Options = {}): Watched {
  const used: string[] = []
  const waiting: { status: string; resolve: (download: ModelDownload) => void }[] = []
  const downloads = createDownloads({
    directory,
    mirror: () => mirror,
    outbound,
    logger: silentLogger,
    limits: { silenceMs, retryMs: 1 },
    useNow: (path) => Promise.resolve(void used.push(path)),
    changed(download) {
      for (const { status, resolve } of waiting) if (status === download.status) resolve(download)
    },
  })
  return {
    downloads,
    used,
    until: (status) => new Promise((resolve) => void waiting.push({ status, resolve })),
    [Symbol.asyncDispose]: () => downloads[Symbol.asyncDispose](),
  }
}

const target = () => join(directory, source.repo, source.file)
const leftovers = async () => readdir(join(directory, ".downloads")).catch(() => [])

// Catches a file in the wrong location or with wrong bytes, credentials or identifying headers that are sent along, and leftovers on disk.
test("fetches a file through the redirect and checks it against the server's checksum", async () => {
  await using box = open()
  const done = box.until("done")
  const started = await box.downloads.begin(source)
  expect(started).toMatchObject({ status: "downloading", receivedBytes: 0, name: "some-model-Q4_K_M" })
  expect(await done).toMatchObject({
    checkedBy: "sha256",
    receivedBytes: model.length,
    sizeBytes: model.length,
  })
  expect(await readFile(target())).toEqual(model)
  expect(await leftovers()).toEqual([])
  expect(hub.paths).toEqual(["/someone/Some-Model-GGUF/resolve/main/some-model-Q4_K_M.gguf"])
  expect(hub.contentRequests[0]).not.toHaveProperty("cookie")
  expect(hub.contentRequests[0]).not.toHaveProperty("authorization")
  await expect(box.downloads.begin(source)).rejects.toMatchObject({ code: "conflict" })
})

// Catches a download that starts over after every interruption, and a resumed file with a gap or an overlap.
test("resumes an interrupted download where the connection was cut", async () => {
  hub.faults = [
    { after: part(0.3), by: "cut" },
    { after: part(0.2), by: "cut" },
    { after: 1, by: "cut" },
  ]
  await using box = open()
  const done = box.until("done")
  await box.downloads.begin(catalogued)
  await done
  expect(await readFile(target())).toEqual(model)
  const ranges = hub.contentRequests.map(({ range }) => range)
  expect(ranges).toHaveLength(4)
  expect(ranges[0]).toBeUndefined()
  expect(ranges.slice(1).every((range) => range !== undefined)).toBe(true)
})

// Catches a download that waits for ever for a silent server, and endless attempts.
test("gives up on a silent server, keeps the bytes that have arrived, and resumes", async () => {
  hub.faults = [{ after: part(0.6), by: "silence" }]
  {
    await using box = open()
    await box.downloads.begin(catalogued)
    await waitFor(() => expect(box.downloads.list()[0]?.receivedBytes).toBeGreaterThan(0))
  }
  hub.faults = Array.from({ length: 6 }, () => ({ after: 0, by: "silence" }))
  {
    await using box = open({ silenceMs: 50 })
    const failed = box.until("failed")
    await box.downloads.start()
    const { error, receivedBytes } = await failed
    expect(error).toMatch(/resume/)
    expect(receivedBytes).toBeGreaterThan(0)
  }
  hub.faults = []
  await using box = open()
  await box.downloads.start()
  const done = box.until("done")
  await box.downloads.resume(box.downloads.list()[0]?.id ?? "")
  await done
  expect(await readFile(target())).toEqual(model)
})

// Catches a pause during which the download continues, and one that a restart forgets or ends.
test("stays paused, even over a restart, and resumes from there", async () => {
  hub.faults = [{ after: part(0.5), by: "silence" }]
  let id: string
  {
    await using box = open()
    const faulted = hub.faulted()
    id = (await box.downloads.begin(catalogued)).id
    await faulted
    expect(await box.downloads.pause(id)).toMatchObject({ status: "paused" })
  }
  await using box = open()
  await box.downloads.start()
  const [paused] = box.downloads.list()
  expect(paused).toMatchObject({ id, status: "paused", name: "Some Model" })
  expect(hub.contentRequests).toHaveLength(1)
  const done = box.until("done")
  await box.downloads.resume(id)
  await done
  expect(await readFile(target())).toEqual(model)
})

// Catches a server that asks again about interrupted downloads, or forgets them, after a restart.
test("resumes automatically after a restart", async () => {
  hub.faults = [{ after: part(0.5), by: "silence" }]
  {
    await using box = open()
    const faulted = hub.faulted()
    await box.downloads.begin(catalogued)
    await faulted
  }
  await using box = open()
  const done = box.until("done")
  await box.downloads.start()
  await done
  expect(await readFile(target())).toEqual(model)
})

// Catches a file combined from two versions.
test("starts over when the file on the server has changed in the meantime", async () => {
  hub.faults = [{ after: part(0.5), by: "silence" }]
  await using box = open()
  const faulted = hub.faulted()
  const { id } = await box.downloads.begin(source)
  await faulted
  await box.downloads.pause(id)
  hub.content = await readFile(ensureTestModel({ reply: "Another version." }))
  const done = box.until("done")
  await box.downloads.resume(id)
  await done
  expect(await readFile(target())).toEqual(hub.content)
})

// Catches a file that isn't the requested model but is kept or even loaded later.
test.each([
  ["a wrong checksum", { ...catalogued, sha256: "0".repeat(64) }, model, false],
  ["another checksum than the catalogue's", { ...catalogued, sha256: "0".repeat(64) }, model, true],
  ["another size than the catalogue's", { ...catalogued, sizeBytes: 5 }, model, true],
  ["no model", source, Buffer.from("<html>Sign in to go on</html>"), true],
  ["half a model", source, model.subarray(0, part(0.5)), true],
])("deletes %s and reports it", async (_what, wanted, content, sendsLinkedHeaders) => {
  hub.content = content
  hub.sendsLinkedHeaders = sendsLinkedHeaders
  await using box = open()
  const failed = box.until("failed")
  const { id } = await box.downloads.begin(wanted)
  expect((await failed).error).toMatch(/Choose another mirror|choose another mirror/)
  expect(await leftovers()).toEqual([`${id}.json`])
  await expect(readFile(target())).rejects.toThrow("ENOENT")
  await box.downloads.cancel(id)
  expect(await leftovers()).toEqual([])
  expect(box.downloads.list()).toEqual([])
})

// Catches a file that is reported as verified although the mirror gave no checksum.
test("reports when a file could be checked only by size and header", async () => {
  hub.sendsLinkedHeaders = false
  await using box = open()
  const done = box.until("done")
  await box.downloads.begin(source)
  expect(await done).toMatchObject({ checkedBy: "header" })
})

test.each([
  [404, /doesn't have this file/],
  [403, /requires signing in/],
])("explains what to do when the server responds with %i", async (status, message) => {
  hub.refusals = [status]
  await using box = open()
  const failed = box.until("failed")
  await box.downloads.begin(source)
  expect((await failed).error).toMatch(message)
})

// Catches a download that fills the disk completely.
test("refuses a file that can't fit before fetching anything", async () => {
  await using box = open()
  await expect(box.downloads.begin({ ...catalogued, sizeBytes: 2 ** 50 })).rejects.toMatchObject({
    code: "disk_full",
  })
  expect(hub.paths).toEqual([])
  expect(box.downloads.list()).toEqual([])
})

// Catches a path that leads out of the models directory, and a name that Windows treats as a device.
test("refuses names that lead to another location", async () => {
  await using box = open()
  for (const file of ["../../x.gguf", "con.gguf", "a/../../../x.gguf"]) {
    await expect(box.downloads.begin({ ...source, file })).rejects.toMatchObject({ code: "validation" })
  }
})

// Catches a symbolic link, placed below `models/` in the meantime, that leads a model into someone else's directory.
test("follows no symbolic link, and resumes when the link is gone", async () => {
  const otherDirectory = join(directory, "elsewhere")
  await mkdir(otherDirectory)
  await symlink(otherDirectory, join(directory, "someone"))
  await using box = open()
  const failed = box.until("failed")
  const { id } = await box.downloads.begin(source)
  expect((await failed).error).toContain("someone")
  expect(await readdir(otherDirectory)).toEqual([])
  await rm(join(directory, "someone"))
  const done = box.until("done")
  await box.downloads.resume(id)
  await done
  expect(await readFile(target())).toEqual(model)
  expect(hub.contentRequests).toHaveLength(1)
})

// Catches a damaged journal that prevents the server from starting.
test("drops unreadable downloads of an earlier run", async () => {
  await using first = open()
  hub.faults = [{ after: 1_000, by: "silence" }]
  const faulted = hub.faulted()
  const { id } = await first.downloads.begin(catalogued)
  await faulted
  await first.downloads.pause(id)
  await writeFile(join(directory, ".downloads", `${id}.json`), "{")
  await using box = open()
  await box.downloads.start()
  expect(box.downloads.list()).toEqual([])
  expect(await leftovers()).toEqual([])
})

// Catches a wait without a stated reason, and a reason that stays after bytes arrive again.
test("reports why nothing arrives, only while nothing arrives", async () => {
  const news: ModelDownload[] = []
  const done = Promise.withResolvers<void>()
  hub.refusals = [503]
  await using downloads = createDownloads({
    directory,
    mirror: () => hub.url,
    outbound: openOutbound(),
    logger: silentLogger,
    limits: { silenceMs: 10_000, retryMs: 1 },
    useNow: () => Promise.resolve(),
    changed(download) {
      news.push(download)
      if (download.status === "done") done.resolve()
    },
  })
  await downloads.begin(source)
  await done.promise
  expect(news.filter(({ interruption }) => interruption !== null)).toMatchObject([
    { status: "downloading", interruption: "The server answered 503." },
  ])
})

// Catches a request to use a model that a restart forgets, and a model that is used without a request.
test("a model requested for use is handed over when it is complete, even after a restart", async () => {
  hub.faults = [{ after: part(0.5), by: "silence" }]
  {
    await using box = open()
    const faulted = hub.faulted()
    await box.downloads.begin(catalogued, true)
    await faulted
  }
  await using box = open()
  const done = box.until("done")
  await box.downloads.start()
  await done
  expect(box.used).toEqual([target()])
  const other = box.until("done")
  await box.downloads.begin({ ...source, file: "other.gguf" })
  await other
  expect(box.used).toEqual([target()])
})

// Catches bytes that arrive after local-only was turned on, a download that is shown as failed, and a resume that isn't refused.
test("pauses while local-only is on, and can be resumed afterwards", async () => {
  const outbound = openOutbound()
  hub.faults = [{ after: part(0.5), by: "silence" }]
  await using box = open({ mirror: hub.url.replace("127.0.0.1", "0.0.0.0"), outbound })
  const faulted = hub.faulted()
  const paused = box.until("paused")
  const { id } = await box.downloads.begin(source)
  await faulted
  outbound.set({ on: true })
  outbound.cutOff()
  expect(await paused).toMatchObject({ error: null })
  for (const attempt of [
    () => box.downloads.resume(id),
    () => box.downloads.begin({ ...source, file: "b.gguf" }),
  ])
    await expect(attempt()).rejects.toMatchObject({ code: "local_only" })
  outbound.set({ on: false })
  const done = box.until("done")
  await box.downloads.resume(id)
  await done
  expect(new Set(outbound.records.map(({ purpose }) => purpose))).toEqual(new Set(["model-download"]))
})
