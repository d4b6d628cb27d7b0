import { AppError } from "../../../../shared/contract/errors.ts"
import type { Sentence } from "../../../../shared/sentences/sentence.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { waitAtMost } from "../../../core/waiting/abort-and-timeout.ts"
import type { ChatEngine, EngineEvent } from "../../../engines/engine.ts"

/** A chat engine with a record of whether it is busy, so that it can be retired or unloaded. */
export interface EngineLease {
  readonly engine: ChatEngine
  /** When its latest work started or ended, in the time of `performance.now()`. */
  readonly lastUsed: number
  readonly isIdle: boolean
  /**
   * Lets running answers finish within the limit, if there is one. Ends the others with `unavailable` and the reason, then ends the engine.
   */
  retire(finishMs: number | null, why?: Sentence): Promise<void>
}

/** Maximum wait for an answer that was ended. */
const endMs = 5_000

/** @param onIdle called whenever the last running work has ended */
export function leaseEngine(engine: ChatEngine, onIdle: () => void): EngineLease {
  const replaced = new AbortController()
  let running = 0
  let lastUsed = performance.now()
  let retiring = false
  let reason = sentence("models.other_chosen")
  let idle = Promise.withResolvers<void>()

  const ended = () => new AppError("unavailable", reason)
  const enter = () => {
    if (retiring) throw ended()
    lastUsed = performance.now()
    if (running++ === 0) idle = Promise.withResolvers<void>()
  }
  const leave = () => {
    lastUsed = performance.now()
    if (--running > 0) return
    idle.resolve()
    onIdle()
  }
  const trackUse = async <T>(work: () => Promise<T>): Promise<T> => {
    enter()
    try {
      return await work()
    } finally {
      leave()
    }
  }

  return {
    get lastUsed() {
      return lastUsed
    },
    get isIdle() {
      return running === 0
    },
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
          for await (const event of engine.generate(request, ending)) {
            if (event.type === "finish" && replaced.signal.aborted && !signal.aborted) throw ended()
            yield event
          }
        } finally {
          leave()
        }
      },
      // Nothing waits for it, so it ends with the engine.
      async prepare(beginning) {
        if (!retiring) await engine.prepare(beginning)
      },
      countTokens: (text) => trackUse(() => engine.countTokens(text)),
      countPrompt: (request) => trackUse(() => engine.countPrompt(request)),
      unload: () => engine.unload(),
      [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
    },

    async retire(finishMs, why = reason) {
      retiring = true
      reason = why
      if (running > 0) await (finishMs === null ? idle.promise : waitAtMost(finishMs, idle.promise))
      replaced.abort()
      if (running > 0) await waitAtMost(endMs, idle.promise)
      await engine[Symbol.asyncDispose]()
    },
  }
}
