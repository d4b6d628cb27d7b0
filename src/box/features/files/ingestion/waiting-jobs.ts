import { sql } from "kysely"
import type { DbOf } from "../../../core/database/database.ts"
import { readStored } from "../../../core/database/stored-json.ts"
import { timestamp } from "../../../core/ids.ts"
import type { StoredFolder } from "../folder-places.ts"
import type { Job } from "./job.ts"
import { WaitingPages } from "./waiting-pages.ts"

/** Selects waiting files. */
export interface WaitingKind {
  /** Whether to select files for OCR or the others. */
  ocr: boolean
  /** Maximum number of files per folder. */
  jobsPerClaim: number
}

/** Maximum retry delay. A longer one means that the clock was ahead when the file was postponed. */
export const maxRetryDelayMs = 3_600_000

/** Returns the next due files of each of these folders by priority, in no particular order overall. */
export async function waitingJobs(
  db: DbOf<"files">,
  folders: readonly StoredFolder[],
  { ocr, jobsPerClaim }: WaitingKind,
): Promise<Job[]> {
  const byId = new Map(folders.map((folder) => [folder.id, folder]))
  const ids = JSON.stringify([...byId.keys()])
  const rows = await db
    .selectFrom(sql<{ id: string }>`(SELECT value AS id FROM json_each(${ids}))`.as("folder"))
    .crossJoin("files")
    .select(["files.id as fileId", "folderId", "name", "subFolder", "size", "storage", "object"])
    .select(["revision", "attempts", "priority", "waitingPages"])
    .where((e) =>
      e(
        "files.id",
        "in",
        e
          .selectFrom("files as next")
          .select("next.id")
          .whereRef("next.folderId", "=", "folder.id")
          .where("next.status", "=", "queued")
          .where("next.phase", ocr ? "=" : "!=", "ocr")
          .where((next) =>
            next.or([
              next("next.retryAt", "is", null),
              next("next.retryAt", "<=", timestamp()),
              next("next.retryAt", ">", timestamp(Date.now() + maxRetryDelayMs)),
            ]),
          )
          .orderBy("next.priority", "desc")
          // files with the least left to read come first, so that a long scan delays no one
          .orderBy((next) => next.fn("json_array_length", ["next.waitingPages", next.val("$.pages")]))
          .orderBy("next.id")
          .limit(jobsPerClaim),
      ),
    )
    .execute()
  return rows.flatMap(({ waitingPages, ...row }) => {
    const folder = byId.get(row.folderId)
    if (!folder) return []
    const { ownerId, path: root, pipeline } = folder
    const waiting = waitingPages === null ? null : (readStored(WaitingPages, waitingPages) ?? null)
    return [{ ...row, ownerId, root, pipeline, waiting }]
  })
}
