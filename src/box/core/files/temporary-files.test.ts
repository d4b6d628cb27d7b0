import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { expect, test } from "vitest"
import { redirectTemporaryFiles, removeTemporaryDirectory, withoutLeftovers } from "./temporary-files.ts"

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

// Catches gigabytes that each training of the search index leaves until the next start, and other files that are removed with them.
test.each(["after it ended", "after it failed"])(
  "removes what a library leaves %s, and nothing else",
  async (when) => {
    const dataDir = mkdtempSync(join(tmpdir(), "temporary-files-"))
    const before = process.env["TMPDIR"]
    const write = (directory: string, name: string) => {
      mkdirSync(join(dataDir, "tmp", directory), { recursive: true })
      writeFileSync(join(dataDir, "tmp", directory, name), "")
    }
    redirectTemporaryFiles(dataDir)
    try {
      write("older", "shuffle_data.lance")
      const training = withoutLeftovers("shuffle_data.lance", async () => {
        write(".tmpA", "shuffle_data.lance")
        write(".tmpB", "document.pdf")
        await Promise.resolve()
        if (when === "after it failed") throw new Error("The disk is full.")
        return "trained"
      })
      if (when === "after it failed") await expect(training).rejects.toThrow("The disk is full.")
      else expect(await training).toBe("trained")
      expect(readdirSync(join(dataDir, "tmp")).toSorted()).toEqual([".tmpB", "older"])
    } finally {
      if (before === undefined) delete process.env["TMPDIR"]
      else process.env["TMPDIR"] = before
      rmSync(dataDir, { recursive: true })
    }
  },
)
