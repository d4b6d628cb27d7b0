import { AppError } from "../../../../shared/contract/errors.ts"
import type { Sentence } from "../../../../shared/sentences/sentence.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { waitAtMost, maxTimerMs } from "../../../core/waiting/abort-and-timeout.ts"
import { createKeyedLock } from "../../../core/waiting/locks.ts"
import type { ChatEngine, EngineEvent, RankingEngine } from "../../../engines/engine.ts"

/** The model that has a role, if any. It can be replaced while the box runs. */
export interface ModelInUse<Engine> {
  engine(): Engine | null
  /** Calls the listener when another model gets the role. Returns a function that stops listening. */
  onReplaced(listener: () => void): () => void
}

/** A role whose model can be replaced. */
interface ModelRole<Engine> extends ModelInUse<Engine>, AsyncDisposable {
  /** Uses another model, or none, and ends the previous one. */
  replace(next: Engine | null): void | Promise<void>
  /** Starts loading the model, so that the first caller doesn't have to wait. A failure shows in its state. */
  load(): void
}

/** Tracks which model has a role and notifies listeners of changes. Setting another model ends the previous one. */
export function createModelInUse<Engine>(
  first: Engine | null,
): ModelInUse<Engine> & { set(next: Engine | null): void } {
  const listeners = new Set<() => void>()
  let engine = first
  return {
    engine: () => engine,
    onReplaced(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    set(next) {
      engine = next
      for (const listener of listeners) listener()
    },
  }
}

/** A chat engine with a record of whether it is busy, so that it can be retired or unloaded. */
interface EngineLease {
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
function leaseEngine(engine: ChatEngine, onIdle: () => void): EngineLease {
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

/** Maximum time in milliseconds that an answer may continue after its model was replaced. */
const usualFinishMs = 30_000

export interface ChatModelsDeps {
  /** Opens an existing model by its reference, without loading it. */
  open(reference: string, makeRoom: MakeRoom): Promise<ChatEngine>
  /** Idle minutes after which a model frees its memory; null means never. */
  unloadAfterMinutes(reference: string): number | null
  finishMs?: number
}

/** Unloads idle models, least recently used first, until `isEnough` returns true or none is left. */
export type MakeRoom = (isEnough: () => boolean) => Promise<void>

/**
 * The open chat models by reference: the chosen one, and those that an assistant or a question names. As many are loaded as fit into
 * memory.
 */
export interface ChatModels extends ModelInUse<ChatEngine>, AsyncDisposable {
  /** The model with this reference; opens it if necessary. */
  of(reference: string): Promise<ChatEngine>
  /** Chooses another model, or none. The previous one stays open while it is useful. */
  choose(reference: string | null): Promise<void>
  /** Starts to load the chosen model, so that the first question doesn't wait for it. A failure shows in the model's state. */
  load(): void
  /**
   * Ends models that have changed or are gone, without waiting for them. If the chosen model is among them, it isn't in use until it is
   * chosen again.
   */
  close(isConcerned: (reference: string) => boolean, change?: ModelChange): void
}

/**
 * The kind of change to a model. "other": another model answers now, and running answers may continue for a limited time. "same": the model
 * will be opened again, and running answers may finish. `gone`: running answers end at once, for this reason.
 */
export type ModelChange = "other" | "same" | { gone: Sentence }

interface OpenModel {
  reference: string
  lease: EngineLease
  unloading: NodeJS.Timeout | undefined
}

export function createChatModels({
  open,
  unloadAfterMinutes,
  finishMs = usualFinishMs,
}: ChatModelsDeps): ChatModels {
  const models = new Map<string, Promise<OpenModel>>()
  /** The models among these that are already open. */
  const opened = new Set<OpenModel>()
  const retiring = new Set<Promise<void>>()
  const lock = createKeyedLock()
  const activeModel = createModelInUse<ChatEngine>(null)
  let chosen: string | null = null

  /**
   * Makes room for one model at a time, because the memory that one model is about to use isn't free for the next. The model that needs
   * room is busy, so it isn't idle.
   */
  const makeRoom: MakeRoom = (isEnough) =>
    lock.run("room", async () => {
      await new Promise(setImmediate) // the previous model starts to load
      await Promise.all([...opened].map(({ lease }) => waitUntilLoaded(lease.engine)))
      while (!isEnough()) {
        const [oldest] = [...opened]
          .filter(({ lease }) => lease.isIdle && holdsMemory(lease.engine))
          .toSorted((a, b) => a.lease.lastUsed - b.lease.lastUsed)
        if (!oldest) return
        await oldest.lease.engine.unload()
      }
    })

  function unloadLater(model: OpenModel): void {
    clearTimeout(model.unloading)
    const minutes = unloadAfterMinutes(model.reference)
    if (minutes === null || !opened.has(model) || !holdsMemory(model.lease.engine)) return
    const unload = () => {
      if (model.lease.isIdle) void model.lease.engine.unload()
    }
    model.unloading = setTimeout(unload, Math.min(minutes * 60_000, maxTimerMs)).unref()
  }

  async function begin(reference: string): Promise<OpenModel> {
    const engine = await open(reference, makeRoom)
    const lease = leaseEngine(engine, () => unloadLater(model))
    const model: OpenModel = { reference, lease, unloading: undefined }
    opened.add(model)
    return model
  }

  function get(reference: string): Promise<OpenModel> {
    const known = models.get(reference)
    if (known) return known
    const opening = begin(reference)
    models.set(reference, opening)
    opening.catch(() => models.get(reference) === opening && models.delete(reference))
    return opening
  }

  async function retire(model: Promise<OpenModel>, change: ModelChange): Promise<void> {
    const ended = await model.catch(() => null)
    if (!ended) return
    clearTimeout(ended.unloading)
    if (typeof change === "object") await ended.lease.retire(0, change.gone)
    else await ended.lease.retire(change === "same" ? null : finishMs)
    opened.delete(ended)
  }

  return {
    engine: activeModel.engine,
    onReplaced: activeModel.onReplaced,
    of: async (reference) => (await get(reference)).lease.engine,
    async choose(reference) {
      chosen = reference
      const next = reference === null ? null : (await get(reference)).lease.engine
      // Another model may have been chosen while this one was being opened.
      if (chosen === reference) activeModel.set(next)
    },
    load: () =>
      void activeModel
        .engine()
        ?.countTokens("")
        .catch(() => undefined),
    close(isConcerned, change = "other") {
      for (const [reference, model] of models) {
        if (!isConcerned(reference)) continue
        models.delete(reference)
        const ending = retire(model, change).finally(() => retiring.delete(ending))
        retiring.add(ending)
      }
      if (chosen !== null && isConcerned(chosen)) activeModel.set(null)
    },
    async [Symbol.asyncDispose]() {
      // The server is stopping, and no one waits for an answer any more.
      await Promise.allSettled(models.values())
      for (const { unloading } of opened) clearTimeout(unloading)
      await Promise.all([...opened].map(({ lease }) => lease.engine[Symbol.asyncDispose]()))
      await Promise.all(retiring)
    },
  }
}

/** Resolves when a model is no longer loading. */
function waitUntilLoaded(engine: ChatEngine): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const check = () => engine.state.status !== "loading" && resolve()
  const stop = engine.onState(check)
  check()
  return promise.finally(stop)
}

const holdsMemory = ({ model, state }: ChatEngine) => model.kind === "local" && state.status === "ready"

/** The reranking model in use. When it is replaced, its running requests fail and search continues without reranking. */
export function createRerankModel(first: RankingEngine | null): ModelRole<RankingEngine> {
  const { engine, onReplaced, set } = createModelInUse(first)
  return {
    engine,
    onReplaced,
    async replace(next) {
      const before = engine()
      set(next)
      await before?.[Symbol.asyncDispose]()
    },
    load: () =>
      void engine()
        ?.rank("", [])
        .catch(() => undefined),
    async [Symbol.asyncDispose]() {
      await engine()?.[Symbol.asyncDispose]()
    },
  }
}
