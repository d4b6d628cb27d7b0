import type { ChatMessage } from "../../../shared/contract/chat.ts"
import type { Notice, Passage } from "../../../shared/contract/folders.ts"

/** Searches folders, each with its own settings; best first. */
export type SearchFolders = (search: {
  query: string
  vectorIds: string[]
}) => Promise<{ results: Passage[]; notices: Notice[] }>

/** A newest message up to this length may lean on the one before it: "And on Fridays?" */
const longestFollowUp = 120
const longestQuery = 2_000

/** What to search for: the newest message and, when it is short, also that message together with the one before. */
export function searchQueries(messages: readonly ChatMessage[]): string[] {
  const questions = messages.filter(({ role, content }) => role === "user" && content.trim() !== "")
  const newest = questions.at(-1)?.content.trim().slice(0, longestQuery) ?? ""
  const previous = questions.at(-2)?.content.trim().slice(0, longestQuery)
  return previous === undefined || newest.length > longestFollowUp
    ? [newest]
    : [newest, `${previous}\n${newest}`]
}

/** Passages for an answer, best first. The rankings of both queries take turns, so that neither drowns the other. */
export async function findPassages(
  search: SearchFolders,
  messages: readonly ChatMessage[],
  vectorIds: string[],
): Promise<{ passages: Passage[]; notices: Notice[] }> {
  const found = await Promise.all(searchQueries(messages).map((query) => search({ query, vectorIds })))
  const most = Math.max(...found.map(({ results }) => results.length))
  const passages = new Map<string, Passage>()
  for (let rank = 0; rank < most; rank++) {
    for (const { results } of found) {
      const passage = results[rank]
      if (passage && !passages.has(passage.id)) passages.set(passage.id, passage)
    }
  }
  const notices = new Map(found.flatMap((result) => result.notices).map((notice) => [notice.code, notice]))
  return { passages: [...passages.values()].slice(0, most), notices: [...notices.values()] }
}
