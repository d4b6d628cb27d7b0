import type { MessagePart } from "../../../../shared/contract/chat.ts"
import type { ShownMessage } from "../session/chat-view.ts"

const lasting = new Set(["no_model", "no_embedding_model"])

/** Whether a notice describes the box itself, so that it is the same for every answer. */
export const isLasting = (code: string): boolean => lasting.has(code)

/** Caches codes for unchanging parts, which are all except those of the answer being written. */
const known = new WeakMap<readonly MessagePart[], string[]>()

function getCodes(parts: readonly MessagePart[]): string[] {
  const codes =
    known.get(parts) ??
    parts.flatMap((part) => (part.type === "notice" && isLasting(part.code) ? [part.code] : []))
  known.set(parts, codes)
  return codes
}

/** Returns, by message, the codes of lasting notices that appear for the first time in it, separated by spaces. */
export function lastingNotices(messages: readonly ShownMessage[]): Map<string, string> {
  const shownCodes = new Set<string>()
  const news = new Map<string, string>()
  for (const { key, parts } of messages) {
    const first = getCodes(parts).filter((code) => !shownCodes.has(code))
    for (const code of first) shownCodes.add(code)
    if (first.length > 0) news.set(key, first.join(" "))
  }
  return news
}
