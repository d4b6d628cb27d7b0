import type { Egress } from "../../../shared/contract/privacy.ts"
import type { EgressReader, EgressRow } from "./egress-store.ts"

type Names = Promise<ReadonlyMap<string, string>>

/** Current names, by ID, of the people, chats and assistants that connections were for. Deleted ones have no name. */
export interface EgressNames {
  people(ids: readonly string[]): Names
  assistants(ids: readonly string[]): Names
  chats(ownerId: string, ids: readonly string[]): Names
}

/** Adds names to records. Chats and assistants of other people aren't named. */
export async function addNames(
  rows: readonly EgressRow[],
  reader: EgressReader,
  names: EgressNames,
): Promise<Egress[]> {
  const own = rows.filter(({ userId }) => userId === reader.userId)
  const [people, chats, assistants] = await Promise.all([
    names.people(getIds(rows, "userId")),
    names.chats(reader.userId, getIds(own, "chatId")),
    names.assistants(getIds(own, "assistantId")),
  ])
  return rows.map(({ userId, chatId, assistantId, ...row }) => {
    const isOwn = userId === reader.userId
    return {
      ...row,
      user: named(userId, people),
      chat: isOwn ? named(chatId, chats) : null,
      assistant: isOwn ? named(assistantId, assistants) : null,
    }
  })
}

const getIds = (rows: readonly EgressRow[], column: "userId" | "chatId" | "assistantId") => [
  ...new Set(rows.flatMap((row) => row[column] ?? [])),
]

function named(id: string | null, names: ReadonlyMap<string, string>): { id: string; name: string } | null {
  const name = id === null ? undefined : names.get(id)
  return id === null || name === undefined ? null : { id, name }
}
