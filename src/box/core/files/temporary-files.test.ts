import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { expect, test } from "vitest"
import { removeTemporaryDirectory } from "./temporary-files.ts"

// Catches a box that ends because a file was added to a directory at the moment of its removal.
test("removes a directory without an error while files are still being added to it", async () => {
  const directory = mkdtempSync(join(tmpdir(), "temporary-files-"))
  const writer = `
    const { writeFileSync } = require("node:fs")
    const { parentPort, workerData } = require("node:worker_threads")
    for (let n = 0; ; n++) {
      try { writeFileSync(workerData + "/" + n, "") } catch { break }
      if (n === 100) parentPort.postMessage("writing")
    }`
  const worker = new Worker(writer, { eval: true, workerData: directory })
  await new Promise((resolve) => worker.once("message", resolve))
  const ended = new Promise((resolve) => worker.once("exit", resolve))
  expect(() => removeTemporaryDirectory(directory)).not.toThrow()
  await worker.terminate()
  await ended
  rmSync(directory, { recursive: true, force: true })
})
