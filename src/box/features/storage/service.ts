import { lstat, opendir, readdir, rm, stat } from "node:fs/promises"
import { join, basename } from "node:path"
import type { Receive } from "../../../serve/serve.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import type {
  StoredCopy,
  StagedRestore,
  StorageOverview,
  StoragePart,
} from "../../../shared/contract/storage.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { snapshotsPath, uploadsPath } from "../../core/data-layout.ts"
import type { BoxValues } from "../../core/database/box-values.ts"
import type { DatabaseChecker } from "../../core/database/sqlite/integrity/check-database.ts"
import { freeBytes } from "../../core/disk/disk-space.ts"
import { makeDirectoryInside } from "../../core/files/path-jail.ts"
import { timestamp, newId } from "../../core/ids.ts"
import type { OnDemand } from "../../core/lazy.ts"
import type { Backups } from "./backups.ts"
import type { DatabaseWatch } from "./database-upkeep.ts"
import { createPlanStore } from "./plan/plan-store.ts"
import type { PlannedBackups } from "./plan/planned-backups.ts"
import { replacedPrefix, readStagedRestore, stageRestore } from "./staged-restore.ts"
import type { DatabaseAdoption } from "./unpack-backup.ts"

interface DiskUsage {
  bytes: number
  /** False if the time ran out before everything was counted. */
  complete: boolean
}

/** Size of a file, or of all files under a directory, as far as they can be counted until `deadline` (ms of `performance.now()`). */
async function measure(path: string, deadline: number): Promise<DiskUsage> {
  let bytes = 0
  const waiting = [path]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (performance.now() > deadline) return { bytes, complete: false }
    const found = await lstat(next).catch(ignoreMissing)
    if (!found?.isDirectory()) {
      bytes += found?.size ?? 0
      continue
    }
    const directory = await opendir(next).catch(ignoreMissing)
    if (!directory) continue
    for await (const entry of directory) waiting.push(join(next, entry.name))
  }
  return { bytes, complete: true }
}

/** Files may be created and deleted while they are counted. */
function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error
}

const snapshotName = /^schema-\d+\.sqlite$/
const replacedName = new RegExp(`^${replacedPrefix}\\d+$`)

/** Earlier states of the data, newest first. */
async function listCopies(dataDir: string, deadline: number): Promise<StoredCopy[]> {
  const found = [
    ...(await names(snapshotsPath(dataDir), snapshotName)).map((id) => ({ id, kind: "snapshot" as const })),
    ...(await names(dataDir, replacedName)).map((id) => ({ id, kind: "replaced" as const })),
  ]
  const copies = await Promise.all(
    found.map(async ({ id, kind }) => {
      const path = getPath(dataDir, id)
      const { bytes } = await measure(path, deadline)
      return { id, kind, bytes, createdAt: timestamp((await stat(path)).mtimeMs) }
    }),
  )
  return copies.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
}

/** Throws `not_found`. An ID that isn't the name of a copy is never used as a path. */
export async function removeCopy(dataDir: string, id: string): Promise<void> {
  const directory = snapshotName.test(id) ? snapshotsPath(dataDir) : dataDir
  const known = await names(directory, snapshotName.test(id) ? snapshotName : replacedName)
  if (!known.includes(id)) throw new AppError("not_found", sentence("storage.no_copy"))
  await rm(getPath(dataDir, id), { recursive: true, force: true })
}

const getPath = (dataDir: string, id: string) =>
  snapshotName.test(id) ? join(snapshotsPath(dataDir), id) : join(dataDir, id)

async function names(directory: string, pattern: RegExp): Promise<string[]> {
  const found = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return []
    throw error
  })
  return found.filter((name) => pattern.test(name))
}

export interface StorageDeps {
  dataDir: string
  backups: Backups
  checker: DatabaseChecker
  adoption: DatabaseAdoption
  health: DatabaseWatch["health"]
  /** Whether the rows are on a database server, where a backup can't replace them. */
  isOnServer: boolean
}

/** Reports the contents of the data directory and restores backups. */
export interface Storage {
  overview(): Promise<StorageOverview>
  /**
   * Receives a backup, checks it and stages it for the next start.
   * @throws AppError `unprocessable`, `disk_full`, `conflict` while another is received, or if the rows are on a database server
   */
  receiveRestore(receive: Receive<unknown>, bytes: number): Promise<StagedRestore>
}

/** Maximum time for counting files; there may be a million. */
const countingMs = 5_000
/** Disk space kept free, so that the server can continue to write. */
const reserveBytes = 256 * 2 ** 20

const parts: Record<string, StoragePart["name"]> = {
  folders: "documents",
  models: "models",
  index: "index",
  "index.broken": "index",
  "casella.sqlite": "database",
  "casella.sqlite-wal": "database",
  "casella.sqlite-shm": "database",
  trash: "trash",
  logs: "logs",
  snapshots: "copies",
  backups: "copies",
  "restore-ready": "copies",
  "restore-moving": "copies",
  "restore-rescued": "database",
  "chat-files": "made",
  tables: "tables",
  avatars: "pictures",
  "ocr-languages": "languages",
  uploads: "transit",
  tmp: "transit",
  desktop: "desktop",
  reserve: "reserve",
}

const getPart = (name: string): StoragePart["name"] =>
  name.startsWith(replacedPrefix) ? "copies" : (parts[name] ?? "other")

export function createStorage({
  dataDir,
  backups,
  checker,
  adoption,
  health,
  isOnServer,
}: StorageDeps): Storage {
  let receiving = false

  async function usage(deadline: number): Promise<StoragePart[]> {
    const found = new Map<StoragePart["name"], StoragePart>()
    for (const name of await readdir(dataDir)) {
      const part = getPart(name)
      const before = found.get(part) ?? { name: part, bytes: 0, complete: true }
      const { bytes, complete } = await measure(join(dataDir, name), deadline)
      found.set(part, { name: part, bytes: before.bytes + bytes, complete: before.complete && complete })
    }
    return [...found.values()].toSorted((a, b) => b.bytes - a.bytes)
  }

  return {
    async overview() {
      const deadline = performance.now() + countingMs
      return {
        dataDir,
        freeBytes: await freeBytes(dataDir),
        parts: await usage(deadline),
        copies: await listCopies(dataDir, deadline),
        backup: await backups.current(),
        restore: await readStagedRestore(dataDir),
        database: health(),
      }
    },

    async receiveRestore(receive, bytes) {
      if (isOnServer) throw new AppError("conflict", sentence("storage.rows_on_server"))
      if (receiving) throw new AppError("conflict", sentence("storage.checking_other"))
      receiving = true
      const directory = uploadsPath(dataDir)
      const path = join(directory, newId())
      try {
        const room = (await freeBytes(dataDir)) - reserveBytes
        if (bytes > room) throw new AppError("disk_full", sentence("storage.no_room"))
        await makeDirectoryInside(dataDir, [basename(directory)])
        await receive({ path, limit: Math.max(0, room), headBytes: 0 })
        return await stageRestore({ file: path, dataDir, stagingRoot: directory, checker, adoption })
      } finally {
        receiving = false
        await rm(path, { force: true })
      }
    },
  }
}

/** Starts planned backups if there is a plan. A plan that is made later starts its own. */
export async function startPlannedBackups(
  values: Pick<BoxValues, "read" | "write" | "remove">,
  dataDirectoryId: string,
  planned: Pick<OnDemand<PlannedBackups>, "get">,
): Promise<void> {
  if ((await createPlanStore(values, dataDirectoryId).read()) !== null) await (await planned.get()).start()
}
