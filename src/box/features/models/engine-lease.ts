import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { untilAborted } from "../../core/waiting/abort.ts"
import { waitAtMost } from "../../core/waiting/time-limit.ts"
import type { ChatEngine, EngineEvent } from "../../engines/engine.ts"

/** A chat engine that can be taken out of use while it answers. */
export interface EngineLease {
  readonly engine: ChatEngine
  /** Lets running answers finish within the limit, ends the others with `unavailable`, then ends the engine. */
  retire(finishMs: number): Promise<void>
}

/** Longest wait for an answer that was ended. */
const endMs = 5_000

/**
 * Wraps an engine so that it can be replaced. It begins to work only when `before` has settled, so that two models are
 * never in memory together.
 */
export function leaseEngine(engine: ChatEngine, before: Promise<void>): EngineLease {
  const replaced = new AbortController()
  let running = 0
  let retiring = false
  let idle = Promise.withResolvers<void>()

  const enter = () => {
    if (retiring) throw modelChanged()
    if (running++ === 0) idle = Promise.withResolvers<void>()
  }
  const leave = () => {
    if (--running === 0) idle.resolve()
  }

  return {
    engine: {
      get model() {
        return engine.model
      },
      get state() {
        return engine.state
      },
      onState: (listener) => engine.onState(listener),
      async *generate(request, signal): AsyncGenerator<EngineEvent> {
        enter()
        try {
          const ending = AbortSignal.any([signal, replaced.signal])
          await untilAborted(before, ending)
          for await (const event of engine.generate(request, ending)) {
            if (event.type === "finish" && replaced.signal.aborted && !signal.aborted) throw modelChanged()
            yield event
          }
        } finally {
          leave()
        }
      },
      // Nothing waits for it: it ends with the engine.
      async prepare(beginning) {
        if (retiring) return
        await before
        await engine.prepare(beginning)
      },
      async countTokens(text) {
        enter()
        try {
          await before
          return await engine.countTokens(text)
        } finally {
          leave()
        }
      },
      [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
    },

    async retire(finishMs) {
      retiring = true
      if (running > 0) await waitAtMost(finishMs, idle.promise)
      replaced.abort()
      if (running > 0) await waitAtMost(endMs, idle.promise)
      await engine[Symbol.asyncDispose]()
    },
  }
}

const modelChanged = () => new AppError("unavailable", sentence("models.other_chosen"))
