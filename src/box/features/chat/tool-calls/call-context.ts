import type { MessagePart } from "../../../../shared/contract/chat.ts"
import { listAddresses, findNamedAddresses, type NamedAddress } from "../../../tools/policy/addresses.ts"
import { createVocabulary, getWords, type Vocabulary, foldWord } from "../../../tools/policy/compare-words.ts"
import type { Knowledge } from "../../../tools/policy/policy.ts"
import type { ContextLabel, Tool } from "../../../tools/tool.ts"
import type { ToolCallPart } from "../transcript/message-parts.ts"
import type { EarlierMessage } from "../transcript/transcript-store.ts"
import type { Sentence } from "../../../../shared/sentences/sentence.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"

/** The texts that a model has read when it makes a call, as far as the policy needs them. */
export interface CallContext extends Knowledge {
  add(label: ContextLabel): void
  /** Adds the user's own words, oldest first. */
  addUserWords(text: string): void
  /** Adds instructions of the user's own assistant, which are also the user's words. */
  addInstructions(text: string): void
  /** Adds words of other authors. `origin` describes them to the user. */
  addRead(origin: Sentence, text: string, label: ContextLabel): void
  /** Adds a call's result. `labels` replace the labels that results of its tool usually have. */
  addResult(call: MadeCall, result: unknown, labels?: readonly ContextLabel[]): void
  /** Adds a call's result whose labels the stored answer already contains. */
  addEarlierResult(call: MadeCall, result: unknown): void
  /** The context that a delegate inherits. */
  readonly inherited: InheritedContext
}

/** The texts that the delegating assistant has read when it gives a task. */
export interface InheritedContext {
  labels: readonly ContextLabel[]
  /** The user's own words. */
  userTexts: readonly string[]
  instructions: readonly string[]
  read: readonly Reading[]
  /** Shared with the delegate: the delegating assistant may open addresses that a task found. */
  found: Set<string>
}

type MadeCall = Pick<ToolCallPart, "toolName" | "args">

interface Reading {
  origin: Sentence
  text: string
}

const foreignText: ContextLabel = { trusted: false, private: true }
/** Tools whose results may name addresses to open. No account tool has one of these names. */
const pageTools: ReadonlySet<string> = new Set(["webSearch", "fetch"])
const maxNameLength = 80

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
      return (vocabulary ??= createVocabulary([...instructions, ...userTexts]))
    },
    /** Addresses of the newest message come first, so that older addresses don't delay the user's current request. */
    get named() {
      return (named ??= [...userTexts.slice(-1), ...instructions, ...userTexts.slice(0, -1)].flatMap(
        findNamedAddresses,
      ))
    },
    found,
    getOrigin(word) {
      const folded = foldWord(word)
      const containsWord = ({ text }: Reading) => getWords(text).some((each) => foldWord(each) === folded)
      return read.find(containsWord)?.origin ?? null
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
      for (const label of labels ?? [tool?.getLabel?.(result) ?? tool?.result ?? foreignText]) add(label)
      this.addEarlierResult(call, result)
    },
    addEarlierResult({ toolName, args }, result) {
      read.push({ origin: getOrigin(toolName, args), text: JSON.stringify(result) ?? "" })
      if (pageTools.has(toolName)) for (const address of listAddresses(result)) found.add(address)
    },
    get inherited() {
      return { labels: [...labels.values()], userTexts, instructions, read, found }
    },
  }
}

/** Adds the content of an earlier message. */
export function addMessage(
  context: CallContext,
  { role, content, parts, isOwnAnswer, isImported, quoted, labels }: EarlierMessage,
): void {
  if (isImported) return context.addRead(sentence("approvals.imported_message"), content, foreignText)
  if (role !== "assistant") {
    for (const text of quoted) context.addRead(sentence("approvals.quoted"), text, foreignText)
    return context.addUserWords(quoted.reduce((own, text) => own.replaceAll(text, " "), content))
  }
  if (!isOwnAnswer) context.addRead(sentence("approvals.message_of_others"), content, foreignText)
  if (isOwnAnswer && labels === null) context.add(foreignText)
  addParts(context, parts, labels)
}

/** Adds the sources of an answer. If `labels` were stored, they describe what its model had read. */
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

const short = (name: string) => name.slice(0, maxNameLength)

function getOrigin(toolName: string, args: unknown): Sentence {
  const url = typeof args === "object" && args !== null && "url" in args ? args.url : null
  return toolName === "fetch" && typeof url === "string"
    ? sentence("approvals.page", { address: short(url) })
    : sentence("approvals.result_of", { tool: short(toolName) })
}
