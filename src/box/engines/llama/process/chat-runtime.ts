import {
  type ChatModelFunctions,
  type ChatWrapper,
  type ChatHistoryItem,
  GeneralChatWrapper,
  type Llama,
  LlamaChat,
  type LlamaContext,
  type LlamaContextSequence,
  type LlamaModel,
  resolveChatWrapper,
} from "node-llama-cpp"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { type PrefillPace, startingPace } from "./prefill.ts"
import { createThreadChoice, type ThreadChoice } from "./threads/thread-choice.ts"

/** A slot in the shared context that keeps one chat's evaluated tokens between its turns. */
export interface Slot {
  conversationKey: string | null
  /** Tokens evaluated so far. */
  readonly tokens: readonly number[]
  busy: boolean
  /** Order of use; 0 if never used. */
  lastUsed: number
}

/**
 * Returns the free slot to answer in. The chat's own slot comes first, then the one whose content this prompt reuses most (the same chat
 * sent without a key, or a repeated prompt), then the one unused for longest. Returns null when all are busy.
 */
export function chooseSlot<S extends Slot>(
  slots: readonly S[],
  prompt: readonly number[],
  conversationKey: string | null,
): S | null {
  const free = slots.filter((slot) => !slot.busy)
  const own = free.find((slot) => conversationKey !== null && slot.conversationKey === conversationKey)
  if (own !== undefined) return own
  const [best] = free
    .map((slot) => ({ slot, common: commonPrefix(slot.tokens, prompt) }))
    .filter(({ slot, common }) => common > 0 && common >= slot.tokens.length * getMinCommonShare(slot))
    .sort((a, b) => b.common - a.common || owned(a.slot) - owned(b.slot))
  return best?.slot ?? free.sort((a, b) => a.lastUsed - b.lastUsed)[0] ?? null
}

const owned = ({ conversationKey }: Slot) => (conversationKey === null ? 0 : 1)

/**
 * Returns the slot to evaluate a prefix in before its chat starts: one that already holds part of it, otherwise the one unused for longest.
 * Returns null if a slot already holds the prefix, or if the newest answer's chat would lose its slot.
 */
export function chooseSpareSlot<S extends Slot>(slots: readonly S[], prefix: readonly number[]): S | null {
  const spare = slots.filter((slot) => !slot.busy && slot.conversationKey === null)
  const held = spare.find((slot) => commonPrefix(slot.tokens, prefix) === prefix.length)
  if (held !== undefined) return null
  const partialSlot = spare.find(
    (slot) => slot.tokens.length > 0 && commonPrefix(slot.tokens, prefix) === slot.tokens.length,
  )
  if (partialSlot !== undefined) return partialSlot
  const oldestFirst = slots.toSorted((a, b) => a.lastUsed - b.lastUsed)
  const newest = oldestFirst.at(-1)
  return oldestFirst.find((slot) => !slot.busy && (slot !== newest || slot.conversationKey === null)) ?? null
}

/** A slot with another chat's tokens is reused only if almost none of them would be lost. */
function getMinCommonShare(slot: Slot): number {
  return slot.conversationKey === null ? 0.5 : 0.9
}

/** Length of the common prefix of two token lists. */
export function commonPrefix(a: readonly number[], b: readonly number[]): number {
  const limit = Math.min(a.length, b.length)
  let length = 0
  while (length < limit && a[length] === b[length]) length++
  return length
}

/** `hidden`: the model may call it, but the prompt doesn't describe it. */
export type ModelFunction = ChatModelFunctions[string] & { readonly hidden?: true }
export type ModelFunctions = Readonly<Record<string, ModelFunction>>

/** Wraps a model's chat template so that prompts leave out hidden functions. */
function hideTools(wrapper: ChatWrapper): ChatWrapper {
  return Object.assign(Object.create(wrapper) as ChatWrapper, {
    generateContextState({
      availableFunctions,
      ...rest
    }: Parameters<ChatWrapper["generateContextState"]>[0]) {
      return wrapper.generateContextState({
        ...rest,
        ...(availableFunctions !== undefined && { availableFunctions: described(availableFunctions) }),
      })
    },
  })
}

const described = (functions: ModelFunctions): ChatModelFunctions =>
  Object.fromEntries(Object.entries(functions).filter(([, { hidden }]) => hidden !== true))

/** User message inserted when a template rejects a chat that starts with the model's message. It keeps the model's messages as they are. */
const opening = "(You begin this conversation.)"

/** Maximum number of characters shown of a template's reason: templates come from downloaded models. */
const maxReasonLength = 300

/**
 * Wraps a model's chat template so that it also accepts chats that start with a message from the model. Throws AppError `validation` with
 * the template's reason for a chat that it rejects.
 */
function lenient(wrapper: ChatWrapper): ChatWrapper {
  return Object.assign(Object.create(wrapper) as ChatWrapper, {
    generateContextState(options: Parameters<ChatWrapper["generateContextState"]>[0]) {
      try {
        return wrapper.generateContextState(options)
      } catch (error) {
        const chatHistory = ensureUserOpening(options.chatHistory)
        if (chatHistory === null) throw refusal(error)
        try {
          return wrapper.generateContextState({ ...options, chatHistory })
        } catch {
          throw refusal(error)
        }
      }
    },
  })
}

/** Returns the chat with an opening user message. Returns null if the user already opens it, or if it is empty. */
function ensureUserOpening(history: readonly ChatHistoryItem[]): ChatHistoryItem[] | null {
  const first = history.findIndex(({ type }) => type !== "system")
  const item = history[first]
  if (item?.type !== "model" || item.response.length === 0) return null
  return [...history.slice(0, first), { type: "user", text: opening }, ...history.slice(first)]
}

function refusal(error: unknown): AppError {
  const reason = (error instanceof Error ? error.message : String(error)).slice(0, maxReasonLength)
  return new AppError("validation", sentence("llama.template_refuses", { reason }))
}

/** A slot in the context, together with its node-llama-cpp sequence. */
export interface SequenceSlot extends Slot {
  readonly sequence: LlamaContextSequence
  readonly chat: LlamaChat
}

export interface Preparation {
  /** Settles when its slot is free again; never rejects. */
  cancel(): Promise<void>
}

/** A loaded chat model and the state that its answers share. */
export interface ChatRuntime {
  readonly llama: Llama
  readonly model: LlamaModel
  readonly context: LlamaContext
  readonly wrapper: ChatWrapper
  readonly pace: PrefillPace
  readonly threads: Pick<ThreadChoice, "readStep">
  /** Takes a slot for one answer. The box never starts more answers than there are slots. */
  acquire(prompt: readonly number[], conversationKey: string | null): SequenceSlot
  release(slot: SequenceSlot): void
  /** Returns a slot to evaluate a prefix in before a chat needs it. Returns null if that isn't necessary or possible. */
  acquireSpare(prefix: readonly number[]): SequenceSlot | null
  /** The prefix that is being evaluated ahead of its chat. It releases its slot on request. */
  preparation: Preparation | null
  /** Number of prompts being evaluated. While there are any, token times don't show whether the thread count is right. */
  prefilling: number
  /** Reports the time between two tokens of the answer in this slot. */
  recordToken(slot: SequenceSlot, milliseconds: number): void
}

/** Creates the context of a loaded model and its slots. */
export async function createChatRuntime(
  llama: Llama,
  model: LlamaModel,
  options: { contextSize: number; sequences: number; onThreads: (threads: number) => void },
): Promise<ChatRuntime> {
  const onProcessor = llama.gpu === false
  if (onProcessor) llama.maxThreads = llama.cpuMathCores
  const context = await model.createContext({
    contextSize: options.contextSize,
    sequences: options.sequences,
    ...(onProcessor ? { threads: { ideal: llama.cpuMathCores, min: 1 } } : {}),
  })
  const threads = createThreadChoice(llama, options.onThreads)
  const wrapper = hideTools(lenient(resolveChatWrapper(model) ?? new GeneralChatWrapper()))
  const slots = Array.from({ length: context.totalSequences }, () =>
    createSlot(context.getSequence(), wrapper),
  )
  let uses = 0
  const runtime: ChatRuntime = {
    llama,
    model,
    context,
    wrapper,
    pace: startingPace(),
    threads,
    prefilling: 0,
    preparation: null,
    acquireSpare(prefix) {
      const slot = slots.some(({ busy }) => busy) ? null : chooseSpareSlot(slots, prefix)
      if (slot === null) return null
      slot.busy = true
      slot.conversationKey = null
      slot.lastUsed = ++uses
      return slot
    },
    acquire(prompt, conversationKey) {
      const slot = chooseSlot(slots, prompt, conversationKey)
      if (slot === null) throw new Error("Every place in the context is taken.")
      slot.busy = true
      slot.conversationKey = conversationKey
      slot.lastUsed = ++uses
      return slot
    },
    release(slot) {
      slot.busy = false
    },
    recordToken(slot, milliseconds) {
      if (runtime.prefilling > 0) return
      const busy = slots.filter((each) => each.busy)
      // All answers get their token from the same batch, so its time must be recorded only once.
      if (busy.some((each) => each.lastUsed < slot.lastUsed)) return
      threads.recordToken(milliseconds, busy.length)
    },
  }
  return runtime
}

function createSlot(sequence: LlamaContextSequence, chatWrapper: ChatWrapper): SequenceSlot {
  return {
    sequence,
    chat: new LlamaChat({ contextSequence: sequence, chatWrapper }),
    conversationKey: null,
    get tokens() {
      return sequence.contextTokens
    },
    busy: false,
    lastUsed: 0,
  }
}
