import type { ImageCosts } from "../../../../shared/contract/folders.ts"
import { reasonSentence } from "../../../../shared/contract/file-reasons.ts"
import type { DbOf } from "../../../core/database/database.ts"
import type { DocumentReader } from "../../../parsers/process/document-reader.ts"
import { lacksPictures, mayHavePictures } from "../../../parsers/readers.ts"
import type { FindBytes } from "../disk/find-stored.ts"
import type { StoredFolder } from "../folder-places.ts"
import { firstDescription, firstPicture } from "../ingestion/job.ts"
import { readJob } from "../ingestion/read-job.ts"
import { outdatedColumns, toRereadJob } from "../ingestion/reread-files.ts"
import { lateText } from "../passages/stored-texts.ts"
import type { FilePasswords } from "../read-files.ts"
import type { PictureDescriber } from "./describe-pictures.ts"

export interface ImageCostsDeps {
  db: DbOf<"files">
  reader: Pick<DocumentReader, "read">
  find: FindBytes
  getPassword: FilePasswords["of"]
  describer: Pick<PictureDescriber, "getObstacle" | "estimate">
}

/** Maximum documents that are examined for an estimate, and the time for that, in ms. */
const maxSamples = 20
const samplingMs = 10_000

/** Estimates what it takes to describe the pictures in a folder that have no description. Sends nothing to a model. */
export async function estimateImageCosts(deps: ImageCostsDeps, folder: StoredFolder): Promise<ImageCosts> {
  const { db, describer } = deps
  const rows = await db
    .selectFrom("files")
    .select((e) => ["readers", e.fn.countAll<number>().as("count")])
    .where("folderId", "=", folder.id)
    .where("status", "=", "completed")
    .groupBy("readers")
    .execute()
  const sum = (isCounted: (readers: string | null) => boolean): number =>
    rows.reduce((total, { readers, count }) => total + (isCounted(readers) ? count : 0), 0)
  const documents = sum(mayHavePictures)
  const unexamined = rows.flatMap(({ readers }) =>
    readers !== null && lacksPictures(readers) ? [readers] : [],
  )
  const unexaminedCount = sum(lacksPictures)
  const [stored, sample] = [await countStored(db, folder.id), await examineSome(deps, folder, unexamined)]
  const perDocument = sample.documents > 0 ? sample.pictures / sample.documents : 0
  const images = stored + Math.round(perDocument * unexaminedCount)
  const obstacle = await describer.getObstacle(folder.id)
  const cost = await describer.estimate()
  const because = obstacle && reasonSentence(obstacle)
  return {
    images,
    documents,
    examined: documents - unexaminedCount + sample.documents,
    model: cost?.model ?? null,
    obstacle: because?.text ?? null,
    ...because?.field,
    seconds: cost && Math.ceil(images * cost.seconds),
    isMeasured: cost?.isMeasured ?? false,
    tokens: cost && images * cost.tokens,
  }
}

/** Counts pictures whose text was recognised and that have no description. */
async function countStored(db: DbOf<"files">, folderId: string): Promise<number> {
  const count = async (from: number, to: number) => {
    const texts = db
      .selectFrom("fileTexts")
      .innerJoin("files", "files.id", "fileTexts.fileId")
      .where("files.folderId", "=", folderId)
      .where("fileTexts.position", ">=", lateText + from)
      .where("fileTexts.position", "<", lateText + to)
    return (await texts.select((e) => e.fn.countAll<number>().as("count")).executeTakeFirstOrThrow()).count
  }
  const pictures = await count(firstPicture, firstDescription)
  return Math.max(0, pictures - (await count(firstDescription, 2 * firstDescription)))
}

/** Counts the pictures in some of the documents that were read without them. */
async function examineSome(
  { db, reader, find, getPassword }: ImageCostsDeps,
  folder: StoredFolder,
  readers: readonly string[],
): Promise<{ documents: number; pictures: number }> {
  const counted = { documents: 0, pictures: 0 }
  if (readers.length === 0) return counted
  const rows = await db
    .selectFrom("files")
    .select(outdatedColumns)
    .where("folderId", "=", folder.id)
    .where("status", "=", "completed")
    .where("storage", "=", "local")
    .where("readers", "in", readers)
    .orderBy("contentHash") // any order that isn't that of names or dates
    .limit(maxSamples)
    .execute()
  const signal = AbortSignal.timeout(samplingMs)
  for (const row of rows) {
    const job = { ...toRereadJob(row, folder), wantsPictures: true }
    const password = getPassword(row.id)
    let pictures = 0
    try {
      const reading = { reader, find, ...(password !== undefined && { password }) }
      const onScans = (scans: { pictures?: readonly unknown[] }) => (pictures = scans.pictures?.length ?? 0)
      for await (const _ of readJob(job, reading, { signal, onScans }));
    } catch {
      if (signal.aborted) break
    }
    counted.documents++
    counted.pictures += pictures
  }
  return counted
}
