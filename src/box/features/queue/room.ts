import { sql } from "kysely"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { DbOf } from "../../core/database/database.ts"
import { listWaiting } from "./waiting-rows.ts"

/** Maximum queued questions per chat and per person, and maximum bytes of all question texts of a person. */
const most = { perChat: 50, perUser: 2_000, bytesOfPerson: 32 * 2 ** 20 }

/** Throws `queue_full` if a chat or a person already has the maximum number of queued questions. */
export async function requireRoom(db: DbOf<"queue">, ownerId: string, chatId: string): Promise<void> {
  const { here, all } = await listWaiting(db, ownerId)
    .select([
      sql<number>`count(*) FILTER (WHERE "chatId" = ${chatId})`.as("here"),
      sql<number>`count(*)`.as("all"),
    ])
    .executeTakeFirstOrThrow()
  if (here >= most.perChat) throw new AppError("queue_full", sentence("queue.full", { count: most.perChat }))
  if (all >= most.perUser) throw tooMuch()
}

/**
 * Throws `queue_full` if a text would exceed the limit for all texts of a person, because the server reads them whenever they may be asked.
 * @param id of the question whose text is replaced
 */
export async function requireRoomForText(
  db: DbOf<"queue">,
  ownerId: string,
  text: string,
  id = "",
): Promise<void> {
  const { bytes } = await listWaiting(db, ownerId)
    .select(sql<number>`coalesce(sum(octet_length(content)), 0)`.as("bytes"))
    .where("id", "!=", id)
    .executeTakeFirstOrThrow()
  if (bytes + Buffer.byteLength(text) > most.bytesOfPerson) throw tooMuch()
}

const tooMuch = () => new AppError("queue_full", sentence("queue.too_much"))
