import { appendFile, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { openSqlite } from "../src/box/core/database/sqlite/open-sqlite.ts"
import { newId, timestamp } from "../src/box/core/ids.ts"
import { createKeyedLock } from "../src/box/core/waiting/locks.ts"
import { silentLogger } from "../src/box/core/logging/logger.ts"
import { createFollower } from "../src/box/features/files/following/follower.ts"
import {
  getDevice,
  createKnownDirectories,
  createMountStore,
} from "../src/box/features/files/following/known-directories.ts"
import { reconcile, type ReconcileDeps } from "../src/box/features/files/following/reconcile.ts"
import { createStoredFolders } from "../src/box/features/folders/store.ts"
import { createFileStore } from "../src/box/features/files/store.ts"
import { printResults, type BenchResult } from "./result.ts"

const directories = 500
const filesPerDirectory = 100
const total = directories * filesPerDirectory
const changes = 5
const megabyte = 2 ** 20

async function writeFiles(root: string): Promise<void> {
  for (let number = 0; number < directories; number++) {
    const directory = join(root, `year-${number % 10}`, `part-${number}`)
    await mkdir(directory, { recursive: true })
    for (let file = 0; file < filesPerDirectory; file++)
      await writeFile(join(directory, `note-${file}.md`), `# Note ${number}.${file}\n`)
  }
}

const seconds = (since: number) => (performance.now() - since) / 1000

/** Follows 50,000 files without indexing them: finding them, single changes, a renamed directory, and the hourly scan. */
export async function run(): Promise<BenchResult[]> {
  const base = await mkdtemp(join(tmpdir(), "casella-bench-"))
  try {
    const root = join(base, "documents")
    await writeFiles(root)
    await using open = openSqlite(join(base, "casella.sqlite"))
    return await follow(open.db, root)
  } finally {
    await rm(base, { recursive: true, force: true })
  }
}

type Db = ReturnType<typeof openSqlite>["db"]

type Measured =
  | "first"
  | "growth"
  | "maxPause"
  | "slowest"
  | "rename5000"
  | "kept"
  | "hourlySeconds"
  | "hourlyCpu"
  | "hourlyPause"
  | "removing"

async function follow(db: Db, root: string): Promise<BenchResult[]> {
  const folder = await insertFolder(db, root)
  const seen = createCounter()
  const mounts = createMountStore(db)
  const places = createStoredFolders(db, root)
  const reconciling: ReconcileDeps = {
    store: createFileStore(db),
    mounts,
    lock: createKeyedLock(),
    onChanged: seen.count,
    onReplaced: () => undefined,
    onRemoved: (_folderId, ids) => seen.count(ids),
  }
  const delay = monitorEventLoopDelay({ resolution: 5 })
  const before = process.memoryUsage.rss()
  await using follower = createFollower({
    folders: places,
    logger: silentLogger,
    reconciling,
    directories: createKnownDirectories(places, mounts, () => undefined),
    beforeScan: () => Promise.resolve(),
    onAvailability: () => undefined,
  })
  delay.enable()
  const startedAt = performance.now()
  const found = seen.next(total)
  await follower.start()
  await found
  const first = seconds(startedAt)
  const growth = (process.memoryUsage.rss() - before) / megabyte
  const maxPause = delay.max / 1e6

  const waits: number[] = []
  for (let number = 0; number < changes; number++) {
    const changed = seen.next(1)
    await appendFile(join(root, "year-3", "part-3", `note-${number}.md`), "More.\n")
    const written = performance.now()
    await changed
    waits.push(seconds(written))
  }

  const renamed = seen.next(total / 10)
  const renaming = performance.now()
  await rename(join(root, "year-7"), join(root, "moved"))
  await renamed
  const rename5000 = seconds(renaming)
  const { kept } = await db
    .selectFrom("files")
    .select((e) => e.fn.countAll<number>().as("kept"))
    .where("attempts", "=", 0)
    .where("subFolder", "like", "moved/%")
    .where("createdAt", "<", new Date(Date.now() - rename5000 * 1000).toISOString())
    .executeTakeFirstOrThrow()

  const busy = process.cpuUsage()
  delay.reset()
  const hourly = performance.now()
  const options = { paths: [""], left: [], device: await getDevice(folder.path), accepted: 0, maxRemoved: 0 }
  const circumstances = { state: "trusted", removedLately: 0, former: () => undefined } as const
  await reconcile(reconciling, folder, { ...options, ...circumstances }, new AbortController().signal)
  const hourlySeconds = seconds(hourly)
  const { user, system } = process.cpuUsage(busy)
  const hourlyPause = delay.max / 1e6

  const removed = seen.next(total / 10)
  const removing = performance.now()
  await rm(join(root, "moved"), { recursive: true })
  await removed
  return getResults({
    first,
    growth,
    maxPause,
    slowest: Math.max(...waits),
    rename5000,
    kept,
    hourlySeconds,
    hourlyCpu: (user + system) / 1e6,
    hourlyPause,
    removing: seconds(removing),
  })
}

async function insertFolder(db: Db, root: string) {
  const folder = { id: newId(), path: root, managed: false }
  const now = timestamp()
  await db
    .insertInto("users")
    .values({ id: "u", email: "u@example.com", name: "u", createdAt: now })
    .execute()
  const appearance = { iconName: null, accentColor: null, visibility: "PRIVATE" } as const
  const search = { topK: 8, filter: 0, strategy: "hybrid", pipeline: "full" } as const
  const made = { ownerId: "u", name: "Bench", description: "", createdAt: now, updatedAt: now }
  const place = { managed: 0, device: null, paused: 0, removed: 0, chatId: null }
  await db
    .insertInto("folders")
    .values({ ...folder, ...place, ...made, ...search, ...appearance })
    .execute()
  return folder
}

/** Counts detected changes and deletions. */
function createCounter() {
  let wanted = 0
  let done = () => undefined as void
  return {
    count(ids: readonly string[]): void {
      wanted -= ids.length
      if (wanted <= 0) done()
    },
    /** Settles when `files` more have been counted. */
    next: (files: number) =>
      new Promise<void>((resolve) => {
        wanted = files
        done = resolve
      }),
  }
}

const getResults = (seen: Record<Measured, number>): BenchResult[] => [
  { name: "50,000 files found and watched", value: seen.first, unit: "s" },
  { name: "memory for watching them", value: seen.growth, unit: "MB" },
  { name: "longest pause of the box meanwhile", value: seen.maxPause, unit: "ms" },
  {
    name: "last write to change seen, slowest of 5",
    value: seen.slowest,
    unit: "s",
    target: "≤2",
    ok: seen.slowest <= 2,
  },
  { name: "directory of 5,000 files renamed", value: seen.rename5000, unit: "s" },
  {
    name: "of these files keep their ids",
    value: seen.kept,
    unit: "files",
    ok: seen.kept === total / 10,
    target: "5,000",
  },
  { name: "hourly look without changes", value: seen.hourlySeconds, unit: "s" },
  { name: "processor time of that look", value: seen.hourlyCpu, unit: "s" },
  { name: "longest pause of the box meanwhile", value: seen.hourlyPause, unit: "ms" },
  { name: "5,000 files deleted", value: seen.removing, unit: "s" },
]

if (import.meta.main) printResults(await run())
