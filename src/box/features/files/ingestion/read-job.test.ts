import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { expect, test } from "vitest"
import { spawnNodeChild } from "../../../core/children/child.ts"
import { silentLogger } from "../../../core/logging/logger.ts"
import { createDocumentReader } from "../../../parsers/process/document-reader.ts"
import { createFindBytes } from "../disk/find-stored.ts"
import type { Job } from "./job.ts"
import { readJob } from "./read-job.ts"

/** Keeps swapping each pair of names while it runs. */
const exchange = `
const { renameSync } = require("node:fs")
const pairs = require("node:worker_threads").workerData
require("node:worker_threads").parentPort.postMessage("begun")
for (;;) {
  for (const [a, b] of pairs) {
    renameSync(a, b + ".old")
    renameSync(b, a)
    renameSync(b + ".old", b)
  }
}
`

// Catches a file outside the folder that is read because a link, or a linked directory, takes its name between the check and the reading.
test("reads nothing outside the folder through links that appear and disappear", async () => {
  const base = await realpath(await mkdtemp(join(tmpdir(), "exchange-")))
  const root = join(base, "folder")
  for (const directory of ["folder/sub", "outside/sub"])
    await mkdir(join(base, directory), { recursive: true })
  for (const name of ["a.txt", "sub/a.txt"]) {
    await writeFile(join(root, name), "harmless")
    await writeFile(join(base, "outside", name), "secret")
  }
  await symlink(join(base, "outside", "a.txt"), join(base, "a.link"))
  await symlink(join(base, "outside", "sub"), join(base, "sub.link"))
  const pairs = [
    [join(root, "a.txt"), join(base, "a.link")],
    [join(root, "sub"), join(base, "sub.link")],
  ]
  const worker = new Worker(exchange, { eval: true, workerData: pairs })
  await new Promise((resolve) => worker.once("message", resolve))
  const texts = new Set<string>()
  {
    await using reader = createDocumentReader({ spawn: spawnNodeChild, logger: silentLogger, slots: 1 })
    for (let round = 0; round < 150 || (texts.size < 2 && round < 2_000); round++) {
      const job = getJob(root, round % 2 === 0 ? "" : "sub")
      try {
        for await (const { text } of readJob(job, { reader, find: createFindBytes(null) }, {}))
          texts.add(text)
      } catch {
        texts.add("refused")
      }
    }
  }
  await worker.terminate()
  await rm(base, { recursive: true })
  expect(texts).toEqual(new Set(["harmless", "refused"]))
})

const getJob = (root: string, subFolder: string): Job => ({
  fileId: "a",
  folderId: "a",
  ownerId: "a",
  root,
  pipeline: "full",
  name: "a.txt",
  subFolder,
  size: 8,
  storage: "local",
  object: null,
  revision: 1,
  attempts: 0,
  priority: 0,
  readAs: null,
  marksHidden: false,
  readers: null,
  wantsPictures: false,
  wantsDescriptions: false,
  waiting: null,
})
