import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { api } from "../../src/shared/contract/api.ts"
import type { Endpoint } from "../../src/shared/contract/endpoint.ts"
import { quickFaults } from "./faults.ts"
import { runLab } from "./lab.ts"
import { writes } from "./registry.ts"

const seed = 20_261_122

// Catches a feature whose writes are never tested with a crash.
it("every endpoint that changes something is tested or states why not", () => {
  const changing = Object.entries(api).flatMap(([feature, endpoints]) =>
    Object.entries<Endpoint>(endpoints)
      .filter(([, { method, reads }]) => method !== "get" && reads !== true)
      .map(([name]) => `${feature}.${name}`),
  )
  expect([...writes.keys()].toSorted()).toEqual(changing.toSorted())
})

// Catches an answer sent before the write is on disk, rows or files written twice, partial writes, deleted items that return, files that
// are never read after a crash, an index that differs from the database, and leftover processes and temporary files.
it(
  "no acknowledged write is lost, duplicated or changed, however the box ends",
  { timeout: 600_000 },
  async () => {
    const directory = await mkdtemp(join(tmpdir(), "casella-crash-lab-"))
    const report = await runLab({ seed, faults: quickFaults, directory })
    expect(report.wrong, `see ${directory}`).toEqual([])
    expect(Object.entries(report.acknowledged).filter(([, count]) => count === 0)).toEqual([])
  },
)
