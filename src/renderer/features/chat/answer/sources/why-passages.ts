import type { MessagePart } from "../../../../../shared/contract/chat.ts"
import type { RetrievalCandidate } from "../../../../../shared/contract/conversations.ts"
import { citedSources } from "../../../../lib/words/cited-sources.ts"
import { plainText } from "../../session/chat-view.ts"

interface WhyPassages {
  cited: RetrievalCandidate[]
  /** Passages that the model received but didn't cite. */
  uncited: RetrievalCandidate[]
  leftOut: RetrievalCandidate[]
}

/** Returns how each passage found for an answer was used, including those found by its tools. */
export function whyPassages(parts: MessagePart[], found: readonly RetrievalCandidate[]): WhyPassages {
  const sources = parts.filter((part) => part.type === "source")
  const cited = new Set(citedSources(plainText(parts), sources).map(({ citation }) => citation))
  const numbers = new Set(found.map(({ citation }) => citation))
  const byTools = sources
    .filter(({ citation }) => !numbers.has(citation))
    .map((source) => ({ ...source, reason: "used" as const }))
  const isCited = ({ citation }: RetrievalCandidate) => citation !== null && cited.has(citation)
  const used = [...found.filter(({ reason }) => reason === "used"), ...byTools]
  return {
    cited: used.filter(isCited),
    uncited: used.filter((passage) => !isCited(passage)),
    leftOut: found.filter(({ reason }) => reason !== "used"),
  }
}
