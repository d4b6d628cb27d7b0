import type { Selectable } from "kysely"
import type { TablesOf } from "../../../core/database/table-owners.ts"
import type { DbOf } from "../../../core/database/database.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import type { NamedFile } from "./find-stored.ts"

/**
 * Fingerprints of the previous file and of the new one; null where there is none. For a file that is moved elsewhere, `toFile` is the trash
 * ID of its bytes.
 */
export interface ChangedFiles {
  fromFile: string | null
  toFile: string | null
}

export type PendingChange = Selectable<TablesOf<"files">["unfinishedChanges"]> & { folderId: string }

/** Stores started changes of files in the database, and tracks which of them couldn't be settled yet. */
export function createPendingChanges(db: DbOf<"files">, logger: Logger) {
  /** By file. The next change of the file starts afterwards and fails if this fails. */
  const forgetting = new Map<string, Promise<unknown>>()
  /** Files whose changes couldn't be settled yet, with their folders. */
  const waiting = new Map<string, string>()

  const selectPendingChanges = () =>
    db
      .selectFrom("unfinishedChanges")
      .innerJoin("files", "files.id", "unfinishedChanges.fileId")
      .selectAll("unfinishedChanges")
      .select("files.folderId")

  function later(fileId: string, forgotten: Promise<unknown>): void {
    forgetting.set(fileId, forgotten)
    forgotten
      .catch((error: unknown) =>
        logger.warn({ err: error, fileId }, "The record of a completed change can't be removed yet"),
      )
      .finally(() => forgetting.delete(fileId))
  }

  return {
    async begin(
      { id, subFolder, name }: NamedFile,
      toName: string | null,
      files: ChangedFiles,
    ): Promise<void> {
      const change = { subFolder, fromName: name, toName, ...files }
      await forgetting.get(id)
      waiting.delete(id)
      await db
        .insertInto("unfinishedChanges")
        .values({ fileId: id, ...change })
        .onConflict((conflict) => conflict.column("fileId").doUpdateSet(change))
        .execute()
    },

    /**
     * Forgets a change in the background: if another program holds the database lock, the caller has already waited long enough. If that
     * fails, for example on a full disk, the next start settles the change again, which has no effect.
     */
    forget(fileId: string): void {
      waiting.delete(fileId)
      later(fileId, db.deleteFrom("unfinishedChanges").where("fileId", "=", fileId).execute())
    },

    /** Disarms a change that is reported as failed, so that no later start carries it out or leaves a file moved away. */
    disarm(fileId: string): void {
      later(fileId, db.updateTable("unfinishedChanges").set(noFiles).where("fileId", "=", fileId).execute())
    },

    async disarmAll(): Promise<void> {
      await db.updateTable("unfinishedChanges").set(noFiles).execute()
    },

    of: (fileId: string): Promise<PendingChange | undefined> =>
      selectPendingChanges().where("fileId", "=", fileId).executeTakeFirst(),

    all: (): Promise<PendingChange[]> => selectPendingChanges().execute(),

    among: (fileIds: readonly string[]): Promise<PendingChange[]> =>
      selectPendingChanges().where("fileId", "in", fileIds).execute(),

    /** Marks a change that couldn't be settled. It waits for the next scan of its folder or the next start. */
    wait(fileId: string, folderId: string): void {
      waiting.set(fileId, folderId)
    },

    isWaiting: (fileId: string): boolean => waiting.has(fileId),

    /** Returns the files in a folder whose changes are waiting. */
    waitingIn: (folderId: string): string[] =>
      [...waiting].filter(([, itsFolder]) => itsFolder === folderId).map(([fileId]) => fileId),
  }
}

export type PendingChanges = ReturnType<typeof createPendingChanges>

/** Without fingerprints, no file is removed; a file only gets its name back. */
const noFiles = { fromFile: null, toFile: null }
