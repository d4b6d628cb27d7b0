import { sql } from "kysely"
import { z } from "zod"
import { Location } from "../../../../shared/contract/location.ts"
import type { DbOf } from "../../../core/database/database.ts"
import { readStored } from "../../../core/database/stored-json.ts"
import type { PassageRecord } from "../../../engines/vectors/passage-record.ts"
import type { Block } from "../../../parsers/parser.ts"
import { livePassages, passagesPerRead, storedPassages } from "./live-passages.ts"
import { slices } from "./slices.ts"
import { createStoredEmbeddings, toFloats } from "./stored-embeddings.ts"
import { createStoredTexts } from "./stored-texts.ts"
import { createPieceWriter } from "./write-pieces.ts"

/** A passage that may be shown: its file is completely indexed, or only waits for OCR. */
export interface LivePassage {
  id: string
  fileId: string
  fileName: string
  vectorId: string
  relativePath: string
  text: string
  location: Location
  /** Zero-based position of the passage in its document. */
  position: number
  /** Set if a model wrote its file. */
  generated?: true
}

/** The part of a stored location that the API doesn't return. */
type LineStart = [at: number, line: number, heading?: string]
const LineStarts = z.object({
  lines: z.array(
    z.custom<LineStart>(
      (value) =>
        Array.isArray(value) &&
        value.slice(0, 2).every(Number.isInteger) &&
        [2, 3].includes(value.length) &&
        ["undefined", "string"].includes(typeof value[2]),
    ),
  ),
})

/** Number of characters of a block's first line that are searched for in passages. */
const comparedCharacters = 60

/** Stores extracted texts, passages and their embeddings. */
export function createPassageStore(db: DbOf<"files">) {
  const shown = () =>
    livePassages(db)
      .select(["passages.id", "fileId", "files.name as fileName", "files.folderId as vectorId"])
      .select(["subFolder", "text", "location", "position", "generatedBy"])

  return {
    ...createPieceWriter(db),
    ...createStoredTexts(db),
    ...createStoredEmbeddings(db),

    /** Returns passages of completed files by ID, in no particular order. Those of deleted or replaced files are left out. */
    async findByIds(ids: readonly string[]): Promise<LivePassage[]> {
      const rows = []
      for (const some of slices(ids)) rows.push(...(await shown().where("passages.id", "in", some).execute()))
      return rows.map(present)
    },

    /** Returns the line numbers of these passages as the chunker stored them. */
    async readLineStarts(ids: readonly string[]): Promise<Map<string, LineStart[]>> {
      const lines = new Map<string, LineStart[]>()
      for (const some of slices(ids)) {
        const rows = await db
          .selectFrom("passages")
          .select(["id", "location"])
          .where("id", "in", some)
          .execute()
        for (const { id, location } of rows) lines.set(id, readStored(LineStarts, location)?.lines ?? [])
      }
      return lines
    },

    /** Returns the first passages of a file, in order. */
    async beginning(fileId: string, most: number): Promise<LivePassage[]> {
      const rows = await shown().where("fileId", "=", fileId).orderBy("position").limit(most).execute()
      return rows.map(present)
    },

    /** Returns the passage that contains a block of a file's text: one with its beginning, one at its location, or the first. */
    async findContaining(
      fileId: string,
      { text, location }: Pick<Block, "text" | "location">,
    ): Promise<string | null> {
      const beginning = text.trim().split("\n", 1)[0]?.slice(0, comparedCharacters) ?? ""
      const page = location.page ?? 0
      const [found] = await livePassages(db)
        .select("passages.id")
        .where("fileId", "=", fileId)
        .orderBy(
          sql`CASE WHEN instr(text, ${beginning}) > 0 THEN 2 ELSE 0 END
            + CASE WHEN coalesce(cast(json_extract(location, '$.page') AS integer), 0) = ${page} THEN 1 ELSE 0 END`,
          "desc",
        )
        .orderBy("position")
        .limit(1)
        .execute()
      return found?.id ?? null
    },

    /** Returns the first passage of each of these files that has any. */
    findFirstPassages: (fileIds: readonly string[]): Promise<{ id: string; fileId: string }[]> =>
      livePassages(db)
        .select(["passages.id", "fileId"])
        .where("fileId", "in", [...fileIds])
        .where("position", "=", 0)
        .execute(),

    /** Yields every passage for rebuilding the index. Passages of files that are still being read are added later. */
    async *all(modelId: string | null): AsyncGenerator<PassageRecord[]> {
      for (let after = ""; ;) {
        const rows = await storedPassages(db)
          .leftJoin("passageEmbeddings as embedding", (join) =>
            join.onRef("embedding.passageId", "=", "passages.id").on("embedding.modelId", "=", modelId ?? ""),
          )
          .select(["passages.id", "fileId", "files.folderId as vectorId", "text", "embedding.vector"])
          .where("passages.id", ">", after)
          .orderBy("passages.id")
          .limit(passagesPerRead)
          .execute()
        const last = rows.at(-1)
        if (!last) return
        yield rows.map(({ vector, ...row }) => (vector ? { ...row, embedding: toFloats(vector) } : row))
        after = last.id
      }
    },
  }
}

const present = ({
  subFolder,
  location,
  generatedBy,
  ...row
}: Omit<LivePassage, "relativePath" | "location" | "generated"> & {
  subFolder: string
  location: string
  generatedBy: string | null
}): LivePassage => ({
  ...row,
  ...(generatedBy !== null && { generated: true }),
  relativePath: [row.vectorId, subFolder, row.fileName].filter((part) => part !== "").join("/"),
  location: readStored(Location, location) ?? {},
})

export type PassageStore = ReturnType<typeof createPassageStore>
