import { readdir, rm } from "node:fs/promises"
import { basename, join } from "node:path"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { StagedRestore, StorageOverview, StoragePart } from "../../../shared/contract/storage.ts"
import { uploadsPath } from "../../core/data-layout.ts"
import { newId } from "../../core/ids.ts"
import type { Receive } from "../../../serve/receive.ts"
import type { DatabaseChecker } from "../../core/database/sqlite/integrity/check-database.ts"
import type { Backups } from "./backups.ts"
import { listCopies } from "./copies.ts"
import type { DatabaseWatch } from "./database-watch.ts"
import { measure } from "./disk-usage.ts"
import { readStagedRestore, replacedPrefix, stageRestore } from "./staged-restore.ts"
import type { DatabaseAdoption } from "./unpack-backup.ts"
import { makeDirectoryInside } from "../../core/files/path-jail.ts"
import { freeBytes } from "../../core/disk/free-bytes.ts"

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
