import type { Selectable } from "kysely"
import type { TablesOf } from "../../../core/database/table-owners.ts"
import type { DbOf } from "../../../core/database/database.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import type { NamedFile } from "./find-stored.ts"

/**
 * Fingerprints of the file before it was kept, and of the one that comes; null where there is none. Of a file that is taken away to
 * go elsewhere, `toFile` is the id in the trash of its bytes.
 */
export interface ChangedFiles {
  fromFile: string | null
  toFile: string | null
}

export type BegunChange = Selectable<TablesOf<"files">["unfinishedChanges"]> & { folderId: string }

/** Which changes of files were begun, as the database has them, and which of them couldn't be settled so far. */
export function createBegunChanges(db: DbOf<"files">, logger: Logger) {
  /** By file; the next change of it begins afterwards, and is refused together with it. */
  const forgetting = new Map<string, Promise<unknown>>()
  /** Files whose changes couldn't be settled so far, with their folders. */
  const waiting = new Map<string, string>()

  const begunChanges = () =>
    db
      .selectFrom("unfinishedChanges")
      .innerJoin("files", "files.id", "unfinishedChanges.fileId")
      .selectAll("unfinishedChanges")
      .select("files.folderId")

  function later(fileId: string, forgotten: Promise<unknown>): void {
    forgetting.set(fileId, forgotten)
    forgotten
      .catch((error: unknown) => logger.warn({ err: error, fileId }, "An ended change isn't forgotten yet"))
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
     * Nobody waits for it: under another program's lock whoever asked for the change has waited long enough. Not so on a full
     * disk: there it is settled once more by the next start, which changes nothing.
     */
    forget(fileId: string): void {
      waiting.delete(fileId)
      later(fileId, db.deleteFrom("unfinishedChanges").where("fileId", "=", fileId).execute())
    },

    /** Whoever asked for the change hears that it failed: no later start does it, nor leaves a file out of the way. */
    disarm(fileId: string): void {
      later(fileId, db.updateTable("unfinishedChanges").set(nobodys).where("fileId", "=", fileId).execute())
    },

    async disarmAll(): Promise<void> {
      await db.updateTable("unfinishedChanges").set(nobodys).execute()
    },

    of: (fileId: string): Promise<BegunChange | undefined> =>
      begunChanges().where("fileId", "=", fileId).executeTakeFirst(),

    all: (): Promise<BegunChange[]> => begunChanges().execute(),

    among: (fileIds: readonly string[]): Promise<BegunChange[]> =>
      begunChanges().where("fileId", "in", fileIds).execute(),

    /** Couldn't be settled: it waits until its folder is looked through again, or for the next start. */
    wait(fileId: string, folderId: string): void {
      waiting.set(fileId, folderId)
    },

    isWaiting: (fileId: string): boolean => waiting.has(fileId),

    /** The files in a folder whose changes wait. */
    waitingIn: (folderId: string): string[] =>
      [...waiting].filter(([, itsFolder]) => itsFolder === folderId).map(([fileId]) => fileId),
  }
}

export type BegunChanges = ReturnType<typeof createBegunChanges>

/** Of whose files nothing is taken away, only given its name again. */
const nobodys = { fromFile: null, toFile: null }
