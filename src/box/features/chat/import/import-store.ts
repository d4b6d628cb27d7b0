import type { Selectable } from "kysely"
import type { z } from "zod"
import { ChatImport, FoundChats } from "../../../../shared/contract/chat-imports.ts"
import type { Sentence } from "../../../../shared/sentences/sentence.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { DbOf } from "../../../core/database/database.ts"
import { readStored } from "../../../core/database/sql-helpers.ts"
import type { TablesOf } from "../../../core/database/table-owners.ts"
import { timestamp } from "../../../core/ids.ts"

type Skipped = ChatImport["skipped"][number]

const maxSkipped = 1_000
/** Limit for chats that are already here. They aren't errors, so space is left for real ones. */
const maxKnown = 500
const maxNameLength = 200

/** The reason why an import failed as a whole. */
export const skippedAll = ({ text, field }: Sentence): Skipped => ({
  what: "import",
  title: null,
  number: null,
  reason: text,
  ...field,
})

/** Records a chat that was not imported, or only in part. */
export function skip(
  progress: ChatImport,
  chat: { title: string; number: number },
  reason: Sentence,
  isKnown = false,
): void {
  progress.skippedCount++
  if (progress.skipped.length >= (isKnown ? maxKnown : maxSkipped)) return
  const title = chat.title.toWellFormed().slice(0, maxNameLength) || null
  const what = title ?? `chat ${chat.number}`
  progress.skipped.push({ what, title, number: chat.number, reason: reason.text, ...reason.field })
}

/** Results of imports are kept for 30 days after their end, for the newest 100 of each user. */
const retentionMs = 30 * 24 * 3_600_000
const maxKept = 100

export const underWay: readonly ChatImport["status"][] = ["queued", "checking", "running"]

/** Stores imports. Each belongs to one owner. */
export function createImportStore(db: DbOf<"chat">) {
  const owned = (ownerId: string) => db.selectFrom("chatImports").where("ownerId", "=", ownerId)
  const forgetOld = () =>
    db
      .deleteFrom("chatImports")
      .where("endedAt", "<", timestamp(Date.now() - retentionMs))
      .execute()

  return {
    async add(ownerId: string, progress: ChatImport): Promise<void> {
      await db
        .insertInto("chatImports")
        .values({ ...toRow(progress), ownerId })
        .execute()
      await forgetOld()
      await db
        .deleteFrom("chatImports")
        .where("ownerId", "=", ownerId)
        .where("endedAt", "is not", null)
        .where("id", "not in", (all) =>
          all
            .selectFrom("chatImports")
            .select("id")
            .where("ownerId", "=", ownerId)
            .orderBy("createdAt", "desc")
            .orderBy("id", "desc")
            .limit(maxKept),
        )
        .execute()
    },

    async save(progress: ChatImport): Promise<void> {
      await db.updateTable("chatImports").set(toRow(progress)).where("id", "=", progress.id).execute()
    },

    async find(ownerId: string, id: string): Promise<ChatImport | undefined> {
      const row = await owned(ownerId).where("id", "=", id).selectAll().executeTakeFirst()
      return row && toImport(row)
    },

    async newest(ownerId: string): Promise<ChatImport | null> {
      const row = await owned(ownerId)
        .selectAll()
        .orderBy("createdAt", "desc")
        .orderBy("id", "desc")
        .executeTakeFirst()
      return row ? toImport(row) : null
    },

    /** Marks imports that were running when the box was killed as failed, and keeps what they had already reported. */
    async endCutOff(): Promise<void> {
      await forgetOld()
      const rows = await db
        .selectFrom("chatImports")
        .selectAll()
        .where("status", "in", [...underWay, "found"])
        .execute()
      for (const row of rows) {
        const { skipped, ...rest } = toImport(row)
        const reported = [...skipped, skippedAll(sentence("conversations.import_interrupted"))]
        await this.save({ ...rest, status: "failed", skipped: reported, endedAt: timestamp() })
      }
    },
  }
}

export type ImportStore = ReturnType<typeof createImportStore>

const StoredSkipped: z.ZodType<ChatImport["skipped"]> = ChatImport.shape.skipped

function toImport(row: Selectable<TablesOf<"chat">["chatImports"]>): ChatImport {
  const { ownerId: _, found, skipped, ...rest } = row
  return {
    ...rest,
    found: found === null ? null : (readStored(FoundChats, found) ?? null),
    skipped: readStored(StoredSkipped, skipped) ?? [],
  }
}

const toRow = ({ found, skipped, ...rest }: ChatImport) => ({
  ...rest,
  found: found && JSON.stringify(found),
  skipped: JSON.stringify(skipped),
})
