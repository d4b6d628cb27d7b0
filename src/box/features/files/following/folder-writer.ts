import type { KeyedLock } from "../../../core/waiting/keyed-lock.ts"
import { newFileRow, scanPriority, type FileRow } from "../file-entry.ts"
import type { StoredFolder } from "../folder-places.ts"
import type { FileStore } from "../store.ts"
import type { Change, Differences } from "./compare.ts"
import type { FormerFile } from "./departures.ts"
import { requireDrive } from "./drive.ts"

/** Writes differences to the database in steps, so that an upload into the same folder doesn't wait long. */
export interface FolderWriter {
  /** Returns the files that were removed. */
  write(differences: Pick<Differences, "added" | "changed" | "vanished">): Promise<FileRow[]>
  change(changes: readonly Change[]): Promise<void>
}

export interface FolderWriterDeps {
  store: FileStore
  lock: KeyedLock
  /** Called with files that were added, moved or changed. */
  onChanged(fileIds: string[]): void
  /** Called with files whose old passages are gone from the database. */
  onReplaced(fileIds: string[]): void
  onRemoved(folderId: string, fileIds: string[]): void
}

export interface FolderWriterOptions {
  folder: Pick<StoredFolder, "id" | "path">
  /** Device of the directory. Nothing is removed after it changes. */
  device: string
  /** Returns those of the files that are gone now. */
  gone(files: readonly FileRow[]): Promise<FileRow[]>
  /** Returns the file that was at this path before it was treated as deleted a short while ago. */
  former(path: string): FormerFile | undefined
  /** Stops writing after the current step. */
  signal: AbortSignal
}

/** Number of rows per transaction. Uploads into the same folder wait for it. */
export const rowsPerStep = 100

export function createFolderWriter(
  { store, lock, onChanged, onReplaced, onRemoved }: FolderWriterDeps,
  { folder, device, gone, former, signal }: FolderWriterOptions,
): FolderWriter {
  async function runInBatches<T>(items: readonly T[], step: (some: T[]) => Promise<void>): Promise<void> {
    for (let from = 0; from < items.length; from += rowsPerStep) {
      signal.throwIfAborted()
      await lock.run(folder.id, () => step(items.slice(from, from + rowsPerStep)))
    }
  }

  const change = (changes: readonly Change[]) =>
    runInBatches(changes, async (some) => {
      await store.change(some)
      onReplaced(some.filter((one) => one.newContent).map((one) => one.from.id))
      onChanged(
        some.filter(({ to, newContent }) => newContent || to.name !== undefined).map((one) => one.from.id),
      )
    })

  return {
    async write({ added, changed, vanished }) {
      const removed: FileRow[] = []
      await runInBatches(vanished, async (some) => {
        const rows = await gone(some)
        const ids = rows.map((row) => row.id)
        await requireDrive(folder.path, device)
        await store.remove(ids)
        onRemoved(folder.id, ids)
        removed.push(...rows)
      })
      await change(changed)
      await runInBatches(added, async (some) => {
        const left: string[] = []
        const fresh = some.map((file) => {
          const { leftOut, ...before } = former(file.path) ?? {}
          const row = { ...newFileRow(folder.id, file, scanPriority), ...before }
          if (leftOut === 1) left.push(row.id)
          return row
        })
        await store.insert(fresh)
        if (left.length > 0) await store.excludeFromSearch(left)
        onChanged(fresh.map((row) => row.id))
      })
      return removed
    },
    change,
  }
}
