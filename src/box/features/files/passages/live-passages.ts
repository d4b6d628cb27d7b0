import type { DbOf } from "../../../core/database/database.ts"

/** Passages from this position on are drafts that will replace the others. */
export const firstDraft = 1_000_000_000

/** Number of passages per read when all passages are read. */
export const passagesPerRead = 500

export const storedPassages = (db: DbOf<"files">) =>
  db.selectFrom("passages").innerJoin("files", "files.id", "passages.fileId")

/** Selects passages that may be shown: their files are completely indexed, or only wait for OCR. */
export const livePassages = (db: DbOf<"files">) =>
  storedPassages(db)
    .where("passages.position", "<", firstDraft)
    .where((e) => e.or([e("files.status", "=", "completed"), e("files.waitingPages", "is not", null)]))
