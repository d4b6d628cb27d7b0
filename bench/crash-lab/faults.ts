import { cp, readdir, rename, stat, truncate, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { indexPath } from "../../src/box/core/data-layout.ts"
import type { SmallDisk } from "../../src/box/testing/disk.ts"
import { childFaults, parsersFrozen } from "./child-faults.ts"
import { endsBy, together, type Fault, type FaultContext } from "./fault.ts"
import { endWhileStarting } from "./lab-box.ts"
import { lockFaults } from "./lock-faults.ts"
import type { Random } from "./random.ts"

const cutOff = { while: "it starts again", by: /The last run was interrupted/ } as const

const killed: Fault = { name: "kill -9", underLoad: endsBy("SIGKILL"), named: cutOff }
const stopped: Fault = { name: "SIGTERM", underLoad: endsBy("SIGTERM") }

/** Simulates a power cut, because LanceDB never flushes its files. */
const indexDamaged: Fault = {
  name: "kill -9, newest files of the index cut or zeroed",
  underLoad: endsBy("SIGKILL"),
  async whileStopped({ dataDir, random }) {
    const newest = await newestFiles(indexPath(dataDir), 1 + random.below(6))
    for (const path of newest) {
      const { size } = await stat(path)
      if (random() < 0.5) await truncate(path, random.below(size + 1))
      else await writeFile(path, Buffer.alloc(size))
    }
  },
}

async function newestFiles(directory: string, count: number): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const aged = await Promise.all(files.map(async (path) => ({ path, changed: (await stat(path)).mtimeMs })))
  return aged
    .toSorted((a, b) => b.changed - a.changed || a.path.localeCompare(b.path))
    .slice(0, count)
    .map(({ path }) => path)
}

/** Small files of the data directory whose contents can be recreated. */
const smallFilesDamaged: Fault = {
  name: "kill -9, box.json and the index's description garbled",
  underLoad: endsBy("SIGKILL"),
  async whileStopped({ dataDir, random }) {
    for (const path of [join(dataDir, "box.json"), join(indexPath(dataDir), "index.json")]) {
      const garbage = random.oneOf(["", "{", "null", "[]", "\0\0\0\0", '{"clean":true}'])
      await writeFile(path, garbage ?? "").catch(() => undefined) // the index may not exist yet
    }
  },
}

const hourMs = 3_600_000

/** Must stay below one day, after which approvals and attachments of chats that never started expire. */
const clockOff = (hours: number): Fault => ({
  name: `kill -9, clock off by ${hours} hours`,
  async underLoad(struck) {
    void struck.strikes()
    return endsBy("SIGKILL")(struck)
  },
  clockMs: hours * hourMs,
  // A clock that is ahead looks the same as a box that wasn't running.
  ...(hours < 0 ? { named: { while: "it goes on", by: /clock is behind/ } } : {}),
})

/** A new path next to the data directory, so that it stays private to the lab. */
const otherDirectory = (dataDir: string, random: Random) => join(dirname(dataDir), `data-${random.word()}`)

const moved: Fault = {
  name: "kill -9, data directory moved",
  underLoad: endsBy("SIGKILL"),
  named: { while: "it starts again", by: /The data directory was moved/ },
  async whileStopped({ dataDir, random }) {
    const target = otherDirectory(dataDir, random)
    await rename(dataDir, target)
    return target
  },
}

/** The round continues with the copy, which must not affect the original. */
const copied: Fault = {
  name: "kill -9, data directory copied",
  underLoad: endsBy("SIGKILL"),
  named: { while: "it starts again", by: /The data directory was copied/ },
  async whileStopped({ dataDir, random }) {
    const target = otherDirectory(dataDir, random)
    await cp(dataDir, target, { recursive: true })
    return target
  },
}

/** A start that doesn't complete. */
const stoppedWhileStarting = (signal: NodeJS.Signals): Fault => ({
  name: `${signal}, and again while it starts`,
  underLoad: endsBy(signal),
  async whileStopped({ dataDir, random }) {
    await endWhileStarting(dataDir, signal, random.below(startTimeoutMs))
  },
})
const startTimeoutMs = 1_500

const duringBackup = (signal: NodeJS.Signals): Fault => ({
  name: `${signal} during a backup`,
  async underLoad({ client, afterWrites }) {
    await afterWrites(5)
    await client.storage.startBackup().catch(() => undefined) // a backup may already be running
    await afterWrites(1)
    return { end: signal }
  },
})

const interrupted: Fault = { name: "SIGINT", underLoad: endsBy("SIGINT") }
const hungUp: Fault = { name: "SIGHUP", underLoad: endsBy("SIGHUP") }

/** The faults that take little time, combined into as few rounds as there are ways to end. `npm run test:all` runs these. */
export const quickFaults: readonly Fault[] = [
  together(killed, indexDamaged, moved),
  together(hungUp, clockOff(-23), copied),
  together(parsersFrozen, smallFilesDamaged),
  together(interrupted, clockOff(1)),
]

/** All faults except those of the disk, for a long run. */
export const faults: readonly Fault[] = [
  killed,
  indexDamaged,
  stopped,
  interrupted,
  hungUp,
  smallFilesDamaged,
  clockOff(-23),
  clockOff(-1),
  clockOff(1),
  moved,
  copied,
  stoppedWhileStarting("SIGKILL"),
  stoppedWhileStarting("SIGTERM"),
  duringBackup("SIGKILL"),
  duringBackup("SIGTERM"),
  ...lockFaults,
  ...childFaults,
]

const triesWhileFull = 60
const full = { while: "it goes on", by: /disk is full/i } as const

/** Faults for a data directory on this disk. */
export const diskFaults = (disk: SmallDisk): readonly Fault[] => [
  {
    name: "full disk, then room again",
    named: full,
    async underLoad({ afterWrites, afterTries, strikes }) {
      await afterWrites(5)
      disk.fill()
      await strikes()
      await afterTries(triesWhileFull)
      disk.makeRoom()
      await afterWrites(10)
      return { end: "SIGTERM" }
    },
  },
  ...(["SIGKILL", "SIGTERM"] as const).map((end) => ({
    name: `full disk and ${end}`,
    named: full,
    async underLoad({ afterWrites, afterTries, strikes }: FaultContext) {
      await afterWrites(5)
      disk.fill()
      await strikes()
      await afterTries(triesWhileFull)
      return { end }
    },
    whileStopped: async () => disk.makeRoom(),
  })),
]
