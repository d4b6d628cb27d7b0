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
/** A question that its best passage answers this well stands on its own. */
const clearScore = 0.8

/**
 * Passages for an answer, best first. Searches for the newest message and, when it is short and finds nothing clear,
 * also for that message together with the one before; what scores higher in either search comes first.
 */
export async function findPassages(
  search: SearchFolders,
  messages: readonly ChatMessage[],
  vectorIds: string[],
): Promise<{ passages: Passage[]; notices: Notice[] }> {
  const questions = messages
    .filter(({ role, content }) => role === "user" && content.trim() !== "")
    .map(({ content }) => content.trim().slice(0, longestQuery))
  const newest = questions.at(-1) ?? ""
  const previous = questions.at(-2)
  const alone = await search({ query: newest, vectorIds })
  const isClear = (alone.results[0]?.score ?? 0) >= clearScore
  if (previous === undefined || newest.length > longestFollowUp || isClear) {
    return { passages: alone.results, notices: alone.notices }
  }
  const joined = await search({ query: `${previous}\n${newest}`, vectorIds })
  const best = new Map<string, Passage>()
  for (const passage of [...alone.results, ...joined.results]) {
    if ((best.get(passage.id)?.score ?? -1) < passage.score) best.set(passage.id, passage)
  }
  const most = Math.max(alone.results.length, joined.results.length)
  const passages = [...best.values()].sort((a, b) => b.score - a.score).slice(0, most)
  const notices = new Map([...alone.notices, ...joined.notices].map((notice) => [notice.code, notice]))
  return { passages, notices: [...notices.values()] }
}
