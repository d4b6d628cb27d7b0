import type { DbOf } from "../../../core/database/database.ts"
import { among } from "../../../core/database/sql-helpers.ts"
import { fileNamePlaceholder } from "../../../tools/withheld.ts"
import { namesFiles } from "./conversation-store.ts"
import { readFileNames } from "./message-parts.ts"

/** A shorter beginning of a name at the end of a title isn't taken for a name that was cut off. */
const minCutLength = 3

/**
 * Returns the names of the files that the questions of these chats name or have attached, by chat. A credential that can't read folders
 * mustn't learn them from prompts and titles, which contain them if an automation reacted to a file.
 */
export async function findFileNames(
  db: DbOf<"chat">,
  ownerId: string,
  chatIds: readonly string[],
): Promise<(chatId: string) => readonly string[]> {
  const rows = await db
    .selectFrom("messages")
    .select(["conversationId", "askedFiles", "attachments"])
    .where("ownerId", "=", ownerId)
    .where("conversationId", "in", among(chatIds))
    .where(namesFiles)
    .execute()
  const names = new Map<string, Set<string>>()
  for (const { conversationId, ...files } of rows) {
    const known = names.get(conversationId) ?? new Set()
    names.set(conversationId, known)
    for (const name of readFileNames(files)) known.add(name)
  }
  return (chatId) => [...(names.get(chatId) ?? [])]
}

/** Returns a text with a placeholder for each of these names. */
export function hideFileNames(text: string, names: readonly string[]): string {
  const byLength = names.filter((name) => name !== "").toSorted((a, b) => b.length - a.length)
  if (byLength.length === 0) return text
  const any = byLength.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")
  return text.replace(new RegExp(any, "gu"), () => fileNamePlaceholder)
}

/** Returns a chat's title without these names. A name at its end may have been cut off, also in the numbered title of a copy. */
export function hideInTitle(title: string, names: readonly string[]): string {
  const hidden = hideFileNames(title, names)
  const [, text = hidden, number = ""] = /^(.*?)( \(\d+\))?$/s.exec(hidden) ?? []
  const cut = Math.max(0, ...names.map((name) => getCutLength(text, name)))
  return cut < minCutLength ? hidden : text.slice(0, text.length - cut) + fileNamePlaceholder + number
}

/** Length of the longest beginning of a name with which a text ends. */
function getCutLength(text: string, name: string): number {
  for (let length = Math.min(name.length, text.length); length > 0; length--)
    if (text.endsWith(name.slice(0, length))) return length
  return 0
}
