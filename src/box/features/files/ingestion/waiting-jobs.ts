import { sql } from "kysely"
import type { DbOf } from "../../../core/database/database.ts"
import { readStored } from "../../../core/database/stored-json.ts"
import { timestamp } from "../../../core/ids.ts"
import type { FolderPlace } from "../folder-places.ts"
import type { Job } from "./job.ts"
import { WaitingPages } from "./waiting-pages.ts"

/** Which of the files that wait are wanted. */
export interface WaitingKind {
  /** Those that are read with OCR, or the others. */
  ocr: boolean
  /** So many of each folder at most. */
  jobsPerClaim: number
}

/** No file waits longer to be tried again; one that seems to was put off while the clock was ahead. */
export const furthestRetryMs = 3_600_000

/** The next files of each of these folders that wait and are due, by priority; in no order. */
export async function waitingJobs(
  db: DbOf<"files">,
  folders: readonly FolderPlace[],
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
              next("next.retryAt", ">", timestamp(Date.now() + furthestRetryMs)),
            ]),
          )
          .orderBy("next.priority", "desc")
          // whoever has least to be read goes first, so that a long scan holds up nobody
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
