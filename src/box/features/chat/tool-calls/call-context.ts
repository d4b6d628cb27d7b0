import type { MessagePart } from "../../../../shared/contract/chat.ts"
import { addressesIn, namedAddresses, type NamedAddress } from "../../../tools/policy/addresses.ts"
import { vocabularyOf, wordsOf, type Vocabulary } from "../../../tools/policy/compare-words.ts"
import { foldWord } from "../../../tools/policy/fold-word.ts"
import type { Knowledge } from "../../../tools/policy/policy.ts"
import type { ContextLabel, Tool } from "../../../tools/tool.ts"
import type { ToolCallPart } from "../transcript/message-parts.ts"
import type { EarlierMessage } from "../transcript/answers/stored-answers.ts"
import type { Sentence } from "../../../../shared/sentences/sentence.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"

/** What a model has read when it makes a call, as far as policy needs to know. */
export interface CallContext extends Knowledge {
  add(label: ContextLabel): void
  /** The user's own words, oldest first. */
  addUserWords(text: string): void
  /** Instructions of the user's own assistant, which are their words too. */
  addInstructions(text: string): void
  /** Words of others; `origin` names them for a person. */
  addRead(origin: Sentence, text: string, label: ContextLabel): void
  /** A result of a call, and what it rests on if that isn't what all results of its tool do. */
  addResult(call: MadeCall, result: unknown, labels?: readonly ContextLabel[]): void
  /** … whose answer kept what it made of the labels. */
  addEarlierResult(call: MadeCall, result: unknown): void
  /** What a delegate takes over. */
  readonly inherited: InheritedContext
}

/** What the one who gives a task knows by then. */
export interface InheritedContext {
  labels: readonly ContextLabel[]
  /** The user's own words. */
  userTexts: readonly string[]
  instructions: readonly string[]
  read: readonly Reading[]
  /** One for both: what a task finds may be opened by whoever gave it. */
  found: Set<string>
}

type MadeCall = Pick<ToolCallPart, "toolName" | "args">

interface Reading {
  origin: Sentence
  text: string
}

const foreignText: ContextLabel = { trusted: false, private: true }
/** The tools whose results name addresses that may be opened; no function of an account has these names. */
const pageTools: ReadonlySet<string> = new Set(["webSearch", "fetch"])
const longestName = 80

export function createCallContext(tools: ReadonlyMap<string, Tool>, from?: InheritedContext): CallContext {
  const labels = new Map<string, ContextLabel>()
  const userTexts: string[] = [...(from?.userTexts ?? [])]
  const instructions: string[] = [...(from?.instructions ?? [])]
  const read: Reading[] = [...(from?.read ?? [])]
  const found = from?.found ?? new Set<string>()
  let vocabulary: Vocabulary | undefined
  let named: NamedAddress[] | undefined
  const add = (label: ContextLabel) => void labels.set(`${label.trusted}/${label.private}`, label)
  from?.labels.forEach(add)

  return {
    get labels() {
      return [...labels.values()]
    },
    get userWords() {
      return (vocabulary ??= vocabularyOf([...instructions, ...userTexts]))
    },
    /** Those of the newest message first: what the user asks for now isn't kept waiting by what they asked for before. */
    get named() {
      return (named ??= [...userTexts.slice(-1), ...instructions, ...userTexts.slice(0, -1)].flatMap(
        namedAddresses,
      ))
    },
    found,
    originOf(word) {
      const folded = foldWord(word)
      const holds = ({ text }: Reading) => wordsOf(text).some((each) => foldWord(each) === folded)
      return read.find(holds)?.origin ?? null
    },
    add,
    addUserWords(text) {
      userTexts.push(text)
      vocabulary = named = undefined
    },
    addInstructions(text) {
      instructions.push(text)
      vocabulary = named = undefined
    },
    addRead(origin, text, label) {
      read.push({ origin, text })
      add(label)
    },
    addResult(call, result, labels) {
      const tool = tools.get(call.toolName)
      for (const label of labels ?? [tool?.labelOf?.(result) ?? tool?.result ?? foreignText]) add(label)
      this.addEarlierResult(call, result)
    },
    addEarlierResult({ toolName, args }, result) {
      read.push({ origin: originOf(toolName, args), text: JSON.stringify(result) ?? "" })
      if (pageTools.has(toolName)) for (const address of addressesIn(result)) found.add(address)
    },
    get inherited() {
      return { labels: [...labels.values()], userTexts, instructions, read, found }
    },
  }
}

/** Adds what stands in an earlier message. */
export function addMessage(
  context: CallContext,
  { role, content, parts, ownAnswer, isImported, quoted, labels }: EarlierMessage,
): void {
  if (isImported) return context.addRead(sentence("approvals.imported_message"), content, foreignText)
  if (role !== "assistant") {
    for (const text of quoted) context.addRead(sentence("approvals.quoted"), text, foreignText)
    return context.addUserWords(quoted.reduce((own, text) => own.replaceAll(text, " "), content))
  }
  if (!ownAnswer) context.addRead(sentence("approvals.message_of_others"), content, foreignText)
  if (ownAnswer && labels === null) context.add(foreignText)
  addParts(context, parts, labels)
}

/** Adds what an answer rests on; `labels` stand for what its model had read, where they were kept. */
export function addParts(
  context: CallContext,
  parts: readonly MessagePart[],
  labels: readonly ContextLabel[] | null = null,
): void {
  labels?.forEach(context.add)
  const calls = new Map<string, MadeCall>()
  for (const part of parts) {
    if (part.type === "source")
      context.addRead(sentence("approvals.file", { name: short(part.fileName) }), part.text, foreignText)
    if (part.type === "tool-call") calls.set(part.toolCallId, part)
    if (part.type !== "tool-result") continue
    const call = calls.get(part.toolCallId) ?? { toolName: "", args: null }
    if (labels === null) context.addResult(call, part.result)
    else context.addEarlierResult(call, part.result)
  }
}

const short = (name: string) => name.slice(0, longestName)

function originOf(toolName: string, args: unknown): Sentence {
  const url = typeof args === "object" && args !== null && "url" in args ? args.url : null
  return toolName === "fetch" && typeof url === "string"
    ? sentence("approvals.page", { address: short(url) })
    : sentence("approvals.result_of", { tool: short(toolName) })
}
