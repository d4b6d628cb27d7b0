import {
  type ChatWrapper,
  GeneralChatWrapper,
  type Llama,
  LlamaChat,
  type LlamaContext,
  type LlamaContextSequence,
  type LlamaModel,
  resolveChatWrapper,
} from "node-llama-cpp"
import { hideTools } from "./hidden-functions.ts"
import { lenient } from "./lenient-template.ts"
import { type PrefillPace, startingPace } from "./prefill.ts"
import { chooseSlot, chooseSpareSlot, type Slot } from "./slots.ts"
import { createThreadChoice, type ThreadChoice } from "./threads/thread-choice.ts"

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
