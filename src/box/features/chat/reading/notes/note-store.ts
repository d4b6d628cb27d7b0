import { sql } from "kysely"
import { z } from "zod"
import type { DbOf } from "../../../../core/database/database.ts"
import { readStored } from "../../../../core/database/stored-json.ts"
import { timestamp } from "../../../../core/ids.ts"
import type { Note } from "./notes.ts"

const StoredNotes = z.array(
  z.object({
    text: z.string(),
    blocks: z.array(z.int().nonnegative()),
    cells: z.array(z.string()).optional(),
  }),
)

/** What is kept at most: the notes of some ten long readings. The longest unused go first. */
const most = { notes: 10_000, bytes: 32 * 2 ** 20 }
/** Notes repeat the words of files, also of what was since changed in them. */
const longestUnusedMs = 7 * 24 * 3_600_000
/** A model's speed is told by the largest of its newest parts: what isn't reading takes the smallest share of their time, and most of a tiny one's. */
const measured = { newest: 100, largest: 20, leastCharacters: 4_000 }

/** Who noted what, and for which question. */
export interface NoteOrigin {
  model: string
  question: Buffer
}

export interface NewNotes extends NoteOrigin {
  hash: Buffer
  fileIds: readonly string[]
  notes: readonly Note[]
  characters: number
  milliseconds: number
}

/** What models noted of parts of files. They go with their files, by the database itself. */
export function createNoteStore(db: DbOf<"chat">) {
  return {
    /** Notes made before of the same part, by the same model, for the same question. */
    async find(hash: Buffer): Promise<Note[] | null> {
      const row = await db
        .updateTable("readNotes")
        .set({ usedAt: timestamp() })
        .where("hash", "=", hash)
        .returning("notes")
        .executeTakeFirst()
      return row === undefined ? null : (readStored(StoredNotes, row.notes) ?? null)
    },

    /** Throws where a file is gone by now. */
    keep: ({ fileIds, notes, ...row }: NewNotes): Promise<void> =>
      db.transaction().execute(async (transaction) => {
        const kept = { ...row, notes: JSON.stringify(notes), usedAt: timestamp() }
        const { id } = await transaction
          .insertInto("readNotes")
          .values(kept)
          .onConflict((conflict) => conflict.column("hash").doUpdateSet(kept))
          .returning("id")
          .executeTakeFirstOrThrow()
        for (const fileId of new Set(fileIds))
          await transaction
            .insertInto("readNoteFiles")
            .values({ fileId, noteId: id })
            .onConflict((conflict) => conflict.doNothing())
            .execute()
      }),

    /** Forgets what was noted for the question of other versions of these files, and what is too old or too much. */
    async tidy({ model, question }: NoteOrigin, fileIds: readonly string[], since: string): Promise<void> {
      const ids = JSON.stringify(fileIds)
      await db
        .deleteFrom("readNotes")
        .where("model", "=", model)
        .where("question", "=", question)
        .where("usedAt", "<", since)
        .where("id", "in", (e) =>
          e
            .selectFrom("readNoteFiles")
            .select("noteId")
            .where("fileId", "in", sql<string>`(SELECT value FROM json_each(${ids}))`),
        )
        .execute()
      await sql`
        DELETE FROM readNotes WHERE usedAt < ${timestamp(Date.now() - longestUnusedMs)} OR id IN (
          SELECT id FROM (
            SELECT id, row_number() OVER newest AS number, sum(length(notes)) OVER newest AS bytes
            FROM readNotes WINDOW newest AS (ORDER BY usedAt DESC, id DESC)
          ) WHERE number > ${most.notes} OR bytes > ${most.bytes}
        )`.execute(db)
    },

    /** Characters of these files that notes for the question were made of, as the files are now. */
    async remembered(
      { model, question }: NoteOrigin,
      files: readonly { id: string; updatedAt: string }[],
    ): Promise<number> {
      const rows = await db
        .selectFrom("readNotes")
        .innerJoin("readNoteFiles", "noteId", "id")
        .select(["id", "characters", "usedAt", "fileId"])
        .where("model", "=", model)
        .where("question", "=", question)
        .execute()
      const updatedAt = new Map(files.map((file) => [file.id, file.updatedAt]))
      const isOther = (row: (typeof rows)[number]) => row.usedAt < (updatedAt.get(row.fileId) ?? "~")
      const others = new Set(rows.filter(isOther).map(({ id }) => id))
      const known = new Map(rows.map(({ id, characters }) => [id, others.has(id) ? 0 : characters]))
      return [...known.values()].reduce((sum, characters) => sum + characters, 0)
    },

    /** Characters that a model has read a millisecond of late; null where it has hardly read anything yet. */
    async speedOf(model: string): Promise<number | null> {
      const newest = await db
        .selectFrom("readNotes")
        .select(["characters", "milliseconds"])
        .where("model", "=", model)
        .orderBy("id", "desc")
        .limit(measured.newest)
        .execute()
      const rows = newest.sort((a, b) => b.characters - a.characters).slice(0, measured.largest)
      const sum = (field: "characters" | "milliseconds") => rows.reduce((all, row) => all + row[field], 0)
      if (sum("characters") < measured.leastCharacters) return null
      return sum("milliseconds") === 0 ? null : sum("characters") / sum("milliseconds")
    },
  }
}

export type NoteStore = ReturnType<typeof createNoteStore>
