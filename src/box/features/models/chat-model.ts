import type { ChatEngine } from "../../engines/engine.ts"
import { createModelInUse, type ModelRole } from "../../engines/model-in-use.ts"
import { leaseEngine, type EngineLease } from "./engine-lease.ts"

/** Longest time that an answer may go on after another model was chosen. */
const usualFinishMs = 30_000

/** An answer that is being written keeps the replaced model a while; nobody waits for that. */
export interface ChatModel extends ModelRole<ChatEngine> {
  replace(next: ChatEngine | null): void
}

/** The chat model in use. What is being answered goes on with a replaced one for a while. */
export function createChatModel(first: ChatEngine | null, finishMs = usualFinishMs): ChatModel {
  /** Settles when every earlier engine has ended. */
  let retired = Promise.resolve()
  const retiring = new Set<EngineLease>()
  let lease: EngineLease | null = first && leaseEngine(first, retired)
  const { engine, onReplaced, set } = createModelInUse(lease?.engine ?? null)

  async function retire(old: EngineLease): Promise<void> {
    retiring.add(old)
    await old.retire(finishMs).finally(() => retiring.delete(old))
  }

  return {
    engine,
    onReplaced,
    replace(next) {
      if (lease) retired = Promise.all([retired, retire(lease)]).then(() => undefined)
      lease = next && leaseEngine(next, retired)
      set(lease?.engine ?? null)
    },
    load: () =>
      void engine()
        ?.countTokens("")
        .catch(() => undefined),
    async [Symbol.asyncDispose]() {
      // The box is stopping and nobody waits for an answer any more.
      await Promise.all(
        [...retiring, ...(lease ? [lease] : [])].map((each) => each.engine[Symbol.asyncDispose]()),
      )
      await retired
    },
  }
}
