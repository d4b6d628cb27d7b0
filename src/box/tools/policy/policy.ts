import type { ApprovalReason } from "../../../shared/contract/chat.ts"
import type { ContextLabel, ToolEffect } from "../tool.ts"
import { comparableAddress, type NamedAddress } from "./addresses.ts"
import { chosenParts } from "./chosen-parts.ts"
import type { Vocabulary } from "./compare-words.ts"
import { judgeWords, type WordFault } from "./foreign-words.ts"
import type { Standing } from "./standing.ts"
import type { Sentence } from "../../../shared/sentences/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { SentenceBody } from "../../../shared/contract/sentence.ts"

/** What a conversation holds, as far as calls are judged by it. */
export interface Knowledge {
  /** Labels of everything the model has read. What the user wrote has none. */
  readonly labels: readonly ContextLabel[]
  /** The user's words: messages of this chat, and instructions of assistants of their own. */
  readonly userWords: Vocabulary
  /** Addresses that the user named, in the order in which they may be opened once something private was read. */
  readonly named: readonly NamedAddress[]
  /** Addresses that stand in a search's results or in a page that was read, as `comparableAddress` writes them. */
  readonly found: ReadonlySet<string>
  /** Where a word that the user didn't say was read, for a person; null: nowhere. */
  originOf(word: string): Sentence | null
}

/** One call, and all that may decide about it. */
export interface PolicyQuestion {
  standing: Standing
  toolName: string
  /** Of this very call, as its tool declares them. */
  effects: readonly ToolEffect[]
  args: unknown
  /** JSON Schema of the arguments: what it lists is the tool's own vocabulary. */
  parameters: Record<string, unknown>
  /** Addresses that the call asks for; null when its tool doesn't take addresses. */
  addresses: readonly string[] | null
  /** When the call was made. */
  knowledge: Knowledge
  /** Addresses that the answer has opened so far, in delegated tasks too. */
  opened: ReadonlySet<string>
  /** The user allowed this tool for the rest of the chat. */
  remembered: boolean
}

export type PolicyDecision =
  | { verdict: "run" }
  | ({ verdict: "ask" } & Pause)
  /** It would be asked about, and nobody may be asked. */
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
 * Decides whether a tool call runs, waits for its owner, is refused because nobody may be asked, or never runs. It is
 * pure: no text that a model reads can change it, and it is the only place that decides (decisions.md 14).
 *
 * - Effects that aren't declared, or aren't known: never.
 * - In a dry run nothing runs that sends or changes anything, whatever the mode.
 * - `bypass` asks nothing. What tools refuse by themselves (address filter, path jail, sandbox) they refuse all the same.
 * - `ask` asks about every call, `auto` about those that `write`.
 * - What reaches no other machine is never asked about in `auto`, whatever was read.
 * - What does (`egress`) isn't asked about as long as nothing private was read, but for addresses: once foreign text was
 *   read, only those that the user, a search or a page named are opened.
 * - Once something private was read, a call may say only what the user said, and open what the user named, each address
 *   once for an answer and in its order: anything else could carry out what was read, or tell of it by what was chosen.
 * - Remembering a tool answers all this for that chat, except for addresses.
 */
export function decide(question: PolicyQuestion): PolicyDecision {
  const { standing, effects, remembered } = question
  if (effects.length === 0 || effects.some((effect) => !knownEffects.has(effect)))
    return { verdict: "deny", reason: "The tool doesn't declare what it does, so it is never run." }
  if (standing.refuses === "dryRun" && effects.some((effect) => effect === "write" || effect === "egress")) {
    const found = standing.mode === "bypass" ? null : pauseOf(question)
    const otherwise = found
      ? `Otherwise it would wait for an approval. ${found.reason}`
      : "Otherwise it would run."
    return { verdict: "refuse", reason: `It was not run. ${refusals.dryRun} ${otherwise}` }
  }
  if (standing.mode === "bypass") return { verdict: "run" }
  const found = pauseOf(question)
  if (found === null || (remembered && found.code !== "address")) return { verdict: "run" }
  if (standing.refuses === null) return { verdict: "ask", ...found }
  return { verdict: "refuse", reason: `It was not run. ${found.reason} ${refusals[standing.refuses]}` }
}

const refusals: Record<NonNullable<Standing["refuses"]>, string> = {
  approvals: "Whoever asked wants nobody to be waited for. Go on without it, and say so.",
  dryRun: "This is a dry run, in which nothing is sent or changed. Go on as if it had been done, and say so.",
  bypass:
    "This assistant asks nobody, and only its owner may have it run such calls. Go on without it, and say so.",
}

/** Why a call is asked about, the weightiest reason first; null: it isn't. */
function pauseOf(question: PolicyQuestion): Pause | null {
  const { standing, effects, remembered } = question
  if (standing.mode === "ask" && !remembered) return pause("mode", sentence("approvals.before_any_tool"))
  const address = addressPause(question)
  if (address !== null) return address
  if (standing.mode === "ask") return pause("mode", sentence("approvals.before_any_tool"))
  if (effects.includes("write")) return pause("write", sentence("approvals.changes_something"))
  return wordsPause(question)
}

/** Characters of an address in a reason. */
const maxShownAddress = 200

function addressPause({
  addresses,
  knowledge,
  opened: before,
}: Pick<PolicyQuestion, "addresses" | "knowledge" | "opened">): Pause | null {
  if (addresses === null) return null
  const { labels, named, found } = knowledge
  const asked = addresses.map(comparableAddress)
  // As it is parsed: in ASCII, which no other address looks like.
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

function wordsPause({ effects, args, parameters, addresses, knowledge }: PolicyQuestion): Pause | null {
  if (!effects.includes("egress") || !knowledge.labels.some((label) => label.private)) return null
  const asked = new Set(addresses)
  const parts = chosenParts(args, parameters)?.filter(({ text }) => !asked.has(text))
  const fault = parts === undefined ? tooDeep : judgeWords(parts, knowledge.userWords)
  return fault && pause("untrusted", explain(fault, knowledge))
}

const tooDeep: WordFault = { why: "choice", word: "" }
const longestWord = 60

function explain(fault: WordFault, { originOf }: Knowledge): Sentence {
  const word = fault.word.slice(0, longestWord)
  switch (fault.why) {
    case "foreign": {
      const origin = originOf(fault.word)
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
