import { randomBytes } from "node:crypto"
import { sql } from "kysely"
import { z } from "zod"
import { among, readStored } from "../../../../core/database/sql-helpers.ts"
import type { DbOf } from "../../../../core/database/database.ts"
import { timestamp } from "../../../../core/ids.ts"
import type { ChatEngine } from "../../../../engines/engine.ts"
import type { Note } from "./notes.ts"

const StoredNotes = z.array(
  z.object({
    text: z.string(),
    blocks: z.array(z.int().nonnegative()),
    cells: z.array(z.string()).optional(),
  }),
)

/** Maximum number and size of stored notes, enough for about ten long readings. The least recently used are deleted first. */
const limits = { notes: 10_000, bytes: 32 * 2 ** 20 }
/** Notes repeat the words of files, including words that were changed since, so unused notes are deleted. */
const maxUnusedMs = 7 * 24 * 3_600_000
/**
 * A model's speed is measured from the largest of its newest parts. Fixed delays are the smallest share of their time, and most of the time
 * of a tiny part.
 */
const measured = { newest: 100, largest: 20, minCharacters: 4_000 }

/** The model that made the notes, and the question. */
export interface NoteOrigin {
  model: string
  question: Buffer
}

/** The cost of reading a part. */
export interface PartCost {
  characters: number
  milliseconds: number
  /** Tokens of all requests for the part; null if the server doesn't report them. */
  tokens: number | null
}

export interface NewNotes extends NoteOrigin, PartCost {
  hash: Buffer
  fileIds: readonly string[]
  notes: readonly Note[]
}

/** A model's reading speed, measured from its recent parts. */
export interface Speed {
  charactersPerMillisecond: number
  tokensPerCharacter: number | null
  /** Characters of the largest part. */
  largestPart: number
}

/** Placeholder question of parts for which only the cost is stored. */
const noQuestion = Buffer.alloc(0)

/** Stores the notes that models made on parts of files. The database deletes them together with their files. */
export class NoteStore {
  readonly #db: DbOf<"chat">

  constructor(db: DbOf<"chat">) {
    this.#db = db
  }

  /** Returns earlier notes on the same part by the same model for the same question. */
  async find(hash: Buffer): Promise<Note[] | null> {
    const row = await this.#db
      .updateTable("readNotes")
      .set({ usedAt: timestamp() })
      .where("hash", "=", hash)
      .returning("notes")
      .executeTakeFirst()
    return row === undefined ? null : (readStored(StoredNotes, row.notes) ?? null)
  }

  /** Throws if a file no longer exists. */
  keep({ fileIds, notes, ...row }: NewNotes): Promise<void> {
    return this.#db.transaction().execute(async (transaction) => {
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
    })
  }

  /** Stores the cost of a part whose notes aren't stored, so that the model's speed is still measured. */
  async storeCost(model: string, cost: PartCost): Promise<void> {
    const nothing = { question: noQuestion, hash: randomBytes(32), notes: "[]" }
    await this.#db
      .insertInto("readNotes")
      .values({ ...cost, ...nothing, model, usedAt: timestamp() })
      .execute()
  }

  /** Deletes notes for the question on older versions of these files, and notes that exceed the age or size limits. */
  async removeOutdated(
    { model, question }: NoteOrigin,
    fileIds: readonly string[],
    since: string,
  ): Promise<void> {
    await this.#db
      .deleteFrom("readNotes")
      .where("model", "=", model)
      .where("question", "=", question)
      .where("usedAt", "<", since)
      .where("id", "in", (e) =>
        e.selectFrom("readNoteFiles").select("noteId").where("fileId", "in", among(fileIds)),
      )
      .execute()
    await sql`
        DELETE FROM "readNotes" WHERE "usedAt" < ${timestamp(Date.now() - maxUnusedMs)} OR id IN (
          SELECT id FROM (
            SELECT id, row_number() OVER newest AS number, sum(length(notes)) OVER newest AS bytes
            FROM "readNotes" WINDOW newest AS (ORDER BY "usedAt" DESC, id DESC)
          ) AS counted WHERE number > ${limits.notes} OR bytes > ${limits.bytes}
        )`.execute(this.#db)
  }

  /** Returns the number of characters of these files, in their current versions, for which notes for the question exist. */
  async remembered(
    { model, question }: NoteOrigin,
    files: readonly { id: string; updatedAt: string }[],
  ): Promise<number> {
    const rows = await this.#db
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
  }

  /** Returns null while the model has read too little to be measured. */
  async getSpeed(model: string): Promise<Speed | null> {
    const newest = await this.#db
      .selectFrom("readNotes")
      .select(["characters", "milliseconds", "tokens"])
      .where("model", "=", model)
      .orderBy("id", "desc")
      .limit(measured.newest)
      .execute()
    const rows = newest.sort((a, b) => b.characters - a.characters).slice(0, measured.largest)
    const sum = (of: readonly PartCost[], field: keyof PartCost) =>
      of.reduce((all, row) => all + (row[field] ?? 0), 0)
    const [characters, milliseconds] = [sum(rows, "characters"), sum(rows, "milliseconds")]
    if (characters < measured.minCharacters || milliseconds === 0) return null
    const counted = rows.filter(({ tokens }) => tokens !== null)
    return {
      charactersPerMillisecond: characters / milliseconds,
      tokensPerCharacter: counted.length === 0 ? null : sum(counted, "tokens") / sum(counted, "characters"),
      largestPart: rows[0]?.characters ?? 0,
    }
  }
}

export const createNoteStore = (db: DbOf<"chat">): NoteStore => new NoteStore(db)

/** Maximum number of parts read concurrently. A local model keeps its other slots for other chats. */
const concurrency = { local: 1, remote: 2 }
/** Default for an unmeasured model: 3.5 characters per token, and parts of up to 24,000 characters. */
const usual = (charactersPerSecond: number): Speed => ({
  charactersPerMillisecond: charactersPerSecond / 1_000,
  tokensPerCharacter: null,
  largestPart: 24_000,
})
const usualSpeed = { local: usual(300), remote: usual(3_000) }
const usualTokensPerCharacter = 1 / 3.5

export const partsAtOnce = ({ model }: Pick<ChatEngine, "model">): number => concurrency[model.kind]

/** Key of a model in stored notes and speed measurements. */
export const modelKey = ({ model: { kind, id } }: Pick<ChatEngine, "model">): string => `${kind}/${id}`

export interface Cost {
  seconds: number
  /** Tokens sent to the model to read the parts. */
  tokens: number
  isMeasured: boolean
}

/**
 * Estimates the cost of reading a number of characters from the model's previous parts. Combining the notes is a separate request that
 * takes about as long as one part.
 */
export async function estimateCost(
  notes: Pick<NoteStore, "getSpeed">,
  engine: Pick<ChatEngine, "model">,
  characters: number,
): Promise<Cost> {
  const measured = await notes.getSpeed(modelKey(engine))
  const { charactersPerMillisecond, tokensPerCharacter, largestPart } =
    measured ?? usualSpeed[engine.model.kind]
  const work = characters / partsAtOnce(engine) + Math.min(characters, largestPart)
  return {
    seconds: Math.max(1, Math.ceil(work / charactersPerMillisecond / 1_000)),
    tokens: Math.ceil(characters * (tokensPerCharacter ?? usualTokensPerCharacter)),
    isMeasured: measured !== null,
  }
}
