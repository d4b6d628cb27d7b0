import type { PromptPrefix } from "../../engine.ts"
import { planAnswer } from "./answer-plan.ts"
import type { ChatRuntime } from "./chat-runtime.ts"
import { prefillInSlot, renderPrompt, toHistory } from "./generation.ts"
import { commonPrefix } from "./slots.ts"

/** Evaluating fewer tokens than this is about as fast as looking them up. */
const minTokens = 64

/** Evaluates the prefix that all such chats share, in a slot that no one currently needs. */
export async function prepare(runtime: ChatRuntime, prefix: PromptPrefix, onStep: () => void): Promise<void> {
  const plan = planAnswer(prefix)
  const [one = [], other = []] = ["A", "?"].map((content) =>
    renderPrompt(
      { runtime, plan },
      toHistory({ request: prefix, plan }, [...prefix.messages, { role: "user", content }]),
    ),
  )
  const length = commonPrefix(one, other)
  if (length < minTokens || length > runtime.context.contextSize / 2) return
  while (runtime.preparation !== null) await runtime.preparation.cancel()
  const slot = runtime.acquireSpare(one.slice(0, length))
  if (slot === null) return
  const stopping = new AbortController()
  // Pass one token more than the shared prefix, because the last token of a prompt is left to the answer.
  const working = prefillInSlot(runtime, slot, one.slice(0, length + 1), stopping.signal, onStep).finally(
    () => {
      runtime.release(slot)
      runtime.preparation = null
    },
  )
  runtime.preparation = {
    async cancel() {
      stopping.abort()
      await working.catch(() => false) // the caller gets the error
    },
  }
  await working
}
