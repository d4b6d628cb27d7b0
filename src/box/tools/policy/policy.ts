import type { ApprovalReason } from "../../../shared/contract/chat.ts"
import type { ContextLabel, ToolEffect } from "../tool.ts"
import { toComparableAddress, type NamedAddress } from "./addresses.ts"
import { listChosenParts } from "./chosen-parts.ts"
import type { Vocabulary } from "./compare-words.ts"
import { judgeWords, type WordFault } from "./foreign-words.ts"
import type { CallPolicy } from "./standing.ts"
import type { Sentence } from "../../../shared/sentences/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { SentenceBody } from "../../../shared/contract/sentence.ts"

/** The parts of a chat that matter for judging calls. */
export interface Knowledge {
  /** Labels of everything the model has read. The user's own words have no label. */
  readonly labels: readonly ContextLabel[]
  /** The user's words: messages in this chat, and instructions of the user's own assistants. */
  readonly userWords: Vocabulary
  /** Addresses that the user named, in the order in which they may be opened after something private was read. */
  readonly named: readonly NamedAddress[]
  /** Addresses from search results or pages that were read, as `toComparableAddress` returns them. */
  readonly found: ReadonlySet<string>
  /** Describes where a word that the user didn't say was read. Null if nowhere. */
  getOrigin(word: string): Sentence | null
}

/** One call, with everything that may influence the decision. */
export interface PolicyQuestion {
  standing: CallPolicy
  toolName: string
  /** Effects of this call, as its tool declares them. */
  effects: readonly ToolEffect[]
  args: unknown
  /** JSON Schema of the arguments; the values it lists are the tool's own vocabulary. */
  parameters: Record<string, unknown>
  /** Addresses that the call requests; null if its tool accepts no addresses. */
  addresses: readonly string[] | null
  /** State of the chat when the call was made. */
  knowledge: Knowledge
  /** Addresses that the answer has opened so far, including those opened by delegated tasks. */
  opened: ReadonlySet<string>
  /** Whether the user allowed this tool for the rest of the chat. */
  remembered: boolean
}

export type PolicyDecision =
  | { verdict: "run" }
  | ({ verdict: "ask" } & Pause)
  /** It needs approval, but no one may be asked. */
  | { verdict: "refuse"; reason: string }
  | { verdict: "deny"; reason: string }

/** Why a call waits. */
export interface Pause {
  code: ApprovalReason
  reason: string
  sentence?: SentenceBody | undefined
}

const pause = (code: ApprovalReason, { text, field }: Sentence): Pause => ({ code, reason: text, ...field })

const knownEffects: ReadonlySet<string> = new Set<ToolEffect>(["read", "write", "egress", "exec"])

/**
 * Decides whether a tool call runs, waits for its owner's approval, is refused because no one may be asked, or never runs. It is a pure
 * function: no text that a model reads can change it. No other code makes this decision.
 *
 * - Undeclared or unknown effects never run.
 * - In a dry run, nothing that sends or changes anything runs, whatever the mode.
 * - `bypass` needs no approval. Refusals by the tools themselves (address filter, path jail, sandbox) still apply.
 * - `ask` needs approval for every call, `auto` for calls that `write`.
 * - In `auto`, other calls that reach no other machine need no approval, whatever was read.
 * - Calls that reach another machine (`egress`) need no approval until something private was read, except for addresses: after untrusted
 * text was read, only addresses named by the user, a search or a page are opened.
 * - After something private was read, a call may contain only what the user said, and open only addresses the user named, each once per
 * answer and in the user's order. Anything else could exfiltrate what was read, or encode it in its choices.
 * - Remembering a tool approves all of this for that chat, except for addresses.
 */
export function decide(question: PolicyQuestion): PolicyDecision {
  const { standing, effects, remembered } = question
  if (effects.length === 0 || effects.some((effect) => !knownEffects.has(effect)))
    return { verdict: "deny", reason: "The tool doesn't declare what it does, so it is never run." }
  if (standing.refuses === "dryRun" && effects.some((effect) => effect === "write" || effect === "egress")) {
    const found = standing.mode === "bypass" ? null : findPause(question)
    const otherwise = found
      ? `Otherwise it would wait for an approval. ${found.reason}`
      : "Otherwise it would run."
    return { verdict: "refuse", reason: `It was not run. ${refusals.dryRun} ${otherwise}` }
  }
  if (standing.mode === "bypass") return { verdict: "run" }
  const found = findPause(question)
  if (found === null || (remembered && found.code !== "address")) return { verdict: "run" }
  if (standing.refuses === null) return { verdict: "ask", ...found }
  return { verdict: "refuse", reason: `It was not run. ${found.reason} ${refusals[standing.refuses]}` }
}

const refusals: Record<NonNullable<CallPolicy["refuses"]>, string> = {
  approvals: "This question doesn't wait for approvals. Continue without it, and say so.",
  dryRun:
    "This is a dry run, in which nothing is sent or changed. Continue as if it had been done, and say so.",
  bypass:
    "This assistant doesn't ask for approval, and only its owner can have it run such calls. Continue without it, and say so.",
}

/** Returns the most important reason why a call needs approval, or null if it needs none. */
function findPause(question: PolicyQuestion): Pause | null {
  const { standing, effects, remembered } = question
  if (standing.mode === "ask" && !remembered) return pause("mode", sentence("approvals.before_any_tool"))
  const address = findAddressPause(question)
  if (address !== null) return address
  if (standing.mode === "ask") return pause("mode", sentence("approvals.before_any_tool"))
  if (effects.includes("write")) return pause("write", sentence("approvals.changes_something"))
  return findWordsPause(question)
}

/** Maximum characters of an address shown in a reason. */
const maxShownAddress = 200

function findAddressPause({
  addresses,
  knowledge,
  opened: before,
}: Pick<PolicyQuestion, "addresses" | "knowledge" | "opened">): Pause | null {
  if (addresses === null) return null
  const { labels, named, found } = knowledge
  const asked = addresses.map(toComparableAddress)
  // The parsed form is ASCII, so look-alike addresses are visible.
  const shown = (address: string) => ({ address: address.slice(0, maxShownAddress) })
  if (labels.some((label) => label.private)) {
    const opened = new Set(before)
    for (const address of asked) {
      const next = named.find((forms) => [...forms].every((form) => !opened.has(form)))
      if (!next?.has(address)) {
        const isNamed = named.some((forms) => forms.has(address))
        const code = isNamed ? "approvals.address_in_order" : "approvals.address_after_private"
        return pause("address", sentence(code, shown(address)))
      }
      opened.add(address)
    }
    return null
  }
  if (!labels.some((label) => !label.trusted)) return null
  const isKnown = (address: string) => found.has(address) || named.some((forms) => forms.has(address))
  const unknown = asked.find((address) => !isKnown(address))
  return unknown === undefined
    ? null
    : pause("address", sentence("approvals.address_of_nobody", shown(unknown)))
}

function findWordsPause({ effects, args, parameters, addresses, knowledge }: PolicyQuestion): Pause | null {
  if (!effects.includes("egress") || !knowledge.labels.some((label) => label.private)) return null
  const asked = new Set(addresses)
  const parts = listChosenParts(args, parameters)?.filter(({ text }) => !asked.has(text))
  const fault = parts === undefined ? tooDeep : judgeWords(parts, knowledge.userWords)
  return fault && pause("untrusted", explain(fault, knowledge))
}

const tooDeep: WordFault = { why: "choice", word: "" }
const maxWordLength = 60

function explain(fault: WordFault, { getOrigin }: Knowledge): Sentence {
  const word = fault.word.slice(0, maxWordLength)
  switch (fault.why) {
    case "foreign": {
      const origin = getOrigin(fault.word)
      return origin === null
        ? sentence("approvals.word_not_said", { word })
        : sentence("approvals.word_from", { word, origin })
    }
    case "repeated":
      return sentence("approvals.word_too_often", { word })
    case "writing":
      return sentence("approvals.word_written_otherwise", { word })
    case "grammar":
    case "choice":
      return sentence("approvals.says_more")
  }
}
