import { cp, readdir, rename, stat, truncate, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { indexPath } from "../../src/box/core/data-layout.ts"
import type { ChildEntry } from "../../src/box/core/child.ts"
import type { Client } from "../../src/shared/client/http-client.ts"
import type { SmallDisk } from "../../src/box/testing/small-disk.ts"
import { endWhileStarting, type LabBox } from "./lab-box.ts"
import type { Random } from "./random.ts"

export interface Struck {
  box: LabBox
  client: Client
  dataDir: string
  random: Random
  /** Settles when so many more writes are acknowledged, or the box has ended. */
  afterWrites(count: number): Promise<void>
  /** The same for writes that were tried, whatever came of them. */
  afterTries(count: number): Promise<void>
}

/** A data directory without a box. */
export type AtRest = Pick<Struck, "dataDir" | "random">

/** Something that befalls a box while it is written to, and its files before it starts again. */
export interface Fault {
  name: string
  /** While writes go on. How the box ends afterwards; 0 is the exit code of a stop that was asked for. */
  underLoad(struck: Struck): Promise<{ end: NodeJS.Signals }>
  /** While no box runs. Answers where the data directory is from now on, if it is elsewhere. */
  atRest?(struck: AtRest): Promise<string | void>
  /** How far the box's clock is off in this round, in milliseconds; it is right again when the box is started next. */
  clockMs?: number
}

const mostWritesBefore = 40

/** The box ends at any moment of the writes. */
const endsBy =
  (end: NodeJS.Signals): Fault["underLoad"] =>
  async ({ random, afterWrites }) => {
    await afterWrites(random.below(mostWritesBefore))
    return { end }
  }

const killed: Fault = { name: "kill -9", underLoad: endsBy("SIGKILL") }
const stopped: Fault = { name: "SIGTERM", underLoad: endsBy("SIGTERM") }

/** As a power cut may leave LanceDB's files, which it never flushes. */
const indexDamaged: Fault = {
  name: "kill -9, newest files of the index cut or zeroed",
  underLoad: endsBy("SIGKILL"),
  async atRest({ dataDir, random }) {
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

/** Signals a child of each kind that runs, again and again while writes go on. */
const childrenGet = (name: string, signal: NodeJS.Signals, kinds: readonly ChildEntry[]): Fault => ({
  name,
  async underLoad(struck) {
    const { box, afterWrites } = struck
    for (let time = 0; time < signalledTimes; time++) {
      await afterWrites(8)
      const found = box.children().filter(({ kind }) => kind !== null && kinds.includes(kind))
      for (const { pid } of found) tell(pid, signal)
    }
    return { end: "SIGTERM" }
  },
})
const signalledTimes = 4

function tell(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // it has ended
  }
}

const childrenKilled = childrenGet("children killed", "SIGKILL", ["parser", "calculator", "python", "engine"])

/** Small files of the data directory that hold nothing which can't be made again. */
const smallFilesDamaged: Fault = {
  name: "kill -9, box.json and the index's description garbled",
  underLoad: endsBy("SIGKILL"),
  async atRest({ dataDir, random }) {
    for (const path of [join(dataDir, "box.json"), join(indexPath(dataDir), "index.json")]) {
      const garbage = random.oneOf(["", "{", "null", "[]", "\0\0\0\0", '{"clean":true}'])
      await writeFile(path, garbage ?? "").catch(() => undefined) // the index may not have been begun
    }
  },
}

const hourMs = 3_600_000

/** Only within what ends by itself after some time, such as approvals. */
const clocks: Fault[] = [-20 * 24, -1, 1].map((hours) => ({
  name: `kill -9, clock off by ${hours} hours`,
  underLoad: endsBy("SIGKILL"),
  clockMs: hours * hourMs,
}))

/** Beside the old place; the directory's name stays private to the lab. */
const elsewhere = (dataDir: string, random: Random) => join(dirname(dataDir), `data-${random.word()}`)

const moved: Fault = {
  name: "kill -9, data directory moved",
  underLoad: endsBy("SIGKILL"),
  async atRest({ dataDir, random }) {
    const place = elsewhere(dataDir, random)
    await rename(dataDir, place)
    return place
  },
}

/** The copy is gone on with; the original must not be touched by it. */
const copied: Fault = {
  name: "kill -9, data directory copied",
  underLoad: endsBy("SIGKILL"),
  async atRest({ dataDir, random }) {
    const place = elsewhere(dataDir, random)
    await cp(dataDir, place, { recursive: true })
    return place
  },
}

/** A start that doesn't come to its end. */
const stoppedWhileStarting = (signal: NodeJS.Signals): Fault => ({
  name: `${signal}, and again while it starts`,
  underLoad: endsBy(signal),
  async atRest({ dataDir, random }) {
    await endWhileStarting(dataDir, signal, random.below(longestStartMs))
  },
})
const longestStartMs = 1_500

const duringBackup = (signal: NodeJS.Signals): Fault => ({
  name: `${signal} during a backup`,
  async underLoad({ client, afterWrites }) {
    await afterWrites(5)
    await client.storage.startBackup().catch(() => undefined) // one runs already
    await afterWrites(1)
    return { end: signal }
  },
})

/** What the box withstands: these run in `npm test`. */
export const quickFaults: readonly Fault[] = [killed, indexDamaged, stopped]

/** All of them; those of a long run. */
export const faults: readonly Fault[] = [
  ...quickFaults,
  { name: "SIGINT", underLoad: endsBy("SIGINT") },
  { name: "SIGHUP", underLoad: endsBy("SIGHUP") },
  childrenKilled,
  childrenGet("parsers frozen", "SIGSTOP", ["parser"]),
  smallFilesDamaged,
  ...clocks,
  moved,
  copied,
  stoppedWhileStarting("SIGKILL"),
  stoppedWhileStarting("SIGTERM"),
  duringBackup("SIGKILL"),
  duringBackup("SIGTERM"),
]

const triesWhileFull = 60

/** For a data directory on this disk. */
export const diskFaults = (disk: SmallDisk): readonly Fault[] => [
  {
    name: "full disk, then room again",
    async underLoad({ afterWrites, afterTries }) {
      await afterWrites(5)
      disk.fill()
      await afterTries(triesWhileFull)
      disk.makeRoom()
      await afterWrites(10)
      return { end: "SIGTERM" }
    },
  },
  ...(["SIGKILL", "SIGTERM"] as const).map((end) => ({
    name: `full disk and ${end}`,
    async underLoad({ afterWrites, afterTries }: Struck) {
      await afterWrites(5)
      disk.fill()
      await afterTries(triesWhileFull)
      return { end }
    },
    atRest: async () => disk.makeRoom(),
  })),
]
