import type { ChatEngine } from "../../engines/engine.ts"
import { leaseEngine, type EngineLease } from "./engine-lease.ts"

/** The chat model in use, which can be replaced while the box runs. */
export interface ChatModel extends AsyncDisposable {
  engine(): ChatEngine | null
  /** Takes another engine into use, or none. What is being answered goes on with the old one for a while. */
  replace(next: ChatEngine | null): void
  /** Called when another engine is in use; returns how to stop listening. */
  onReplaced(listener: () => void): () => void
}

/** Longest time that an answer may go on after another model was chosen. */
const usualFinishMs = 30_000

export function createChatModel(first: ChatEngine | null, finishMs = usualFinishMs): ChatModel {
  const listeners = new Set<() => void>()
  /** Settles when every earlier engine has ended. */
  let retired = Promise.resolve()
  const retiring = new Set<EngineLease>()
  let lease: EngineLease | null = first && leaseEngine(first, retired)

  async function retire(old: EngineLease): Promise<void> {
    retiring.add(old)
    await old.retire(finishMs).finally(() => retiring.delete(old))
  }

  return {
    engine: () => lease?.engine ?? null,
    replace(next) {
      if (lease) retired = Promise.all([retired, retire(lease)]).then(() => undefined)
      lease = next && leaseEngine(next, retired)
      for (const listener of listeners) listener()
    },
    onReplaced(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async [Symbol.asyncDispose]() {
      // The box is stopping and nobody waits for an answer any more.
      await Promise.all(
        [...retiring, ...(lease ? [lease] : [])].map(({ engine }) => engine[Symbol.asyncDispose]()),
      )
      await retired
    },
  }
}
