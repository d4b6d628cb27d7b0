import type { Sentence } from "../../../../shared/sentences/sentence.ts"
import { createKeyedLock } from "../../../core/waiting/keyed-lock.ts"
import { maxTimerMs } from "../../../core/waiting/time-limit.ts"
import type { ChatEngine } from "../../../engines/engine.ts"
import { createModelInUse, type ModelInUse } from "../../../engines/model-in-use.ts"
import { leaseEngine, type EngineLease } from "./engine-lease.ts"

/** Longest time that an answer may go on after its model was taken away. */
const usualFinishMs = 30_000

export interface ChatModelsDeps {
  /** Opens a model of those that there are, by its reference; nothing is loaded yet. */
  open(reference: string, makeRoom: MakeRoom): Promise<ChatEngine>
  /** After how many idle minutes a model gives its memory back; null: never. */
  unloadAfterMinutes(reference: string): number | null
  finishMs?: number
}

/** Takes models that do nothing out of memory, the least recently used first, until `isEnough` or none is left. */
export type MakeRoom = (isEnough: () => boolean) => Promise<void>

/**
 * The chat models that are open, by their references: the chosen one, and those that an assistant or a question names.
 * As many of them are loaded as fit the memory.
 */
export interface ChatModels extends ModelInUse<ChatEngine>, AsyncDisposable {
  /** The model of a reference, opened where it isn't yet. */
  of(reference: string): Promise<ChatEngine>
  /** Takes another model as the chosen one, or none. The one before stays open while it is of use. */
  choose(reference: string | null): Promise<void>
  /** Begins to load the chosen model, so that whoever asks first doesn't wait for it; a failure shows in its state. */
  load(): void
  /**
   * Ends models that are others now, or gone, and nobody waits for that. The chosen one isn't in use any more until it is
   * chosen again.
   */
  close(isConcerned: (reference: string) => boolean, change?: ModelChange): void
}

/**
 * What became of a model: another one answers now, and what is being answered may go on a while; the same one is to be opened
 * anew, and it may go on to its end; or it is gone, and it ends at once, for this reason.
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
  /** Those of them that are open by now. */
  const opened = new Set<OpenModel>()
  const retiring = new Set<Promise<void>>()
  const lock = createKeyedLock()
  const inUse = createModelInUse<ChatEngine>(null)
  let chosen: string | null = null

  /** One model after the other: what one is about to take isn't free for the next. Whoever asks is at work, so not idle. */
  const makeRoom: MakeRoom = (isEnough) =>
    lock.run("room", async () => {
      await new Promise(setImmediate) // the one before begins to load
      await Promise.all([...opened].map(({ lease }) => loaded(lease.engine)))
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
    const beginning = begin(reference)
    models.set(reference, beginning)
    beginning.catch(() => models.get(reference) === beginning && models.delete(reference))
    return beginning
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
    engine: inUse.engine,
    onReplaced: inUse.onReplaced,
    of: async (reference) => (await get(reference)).lease.engine,
    async choose(reference) {
      chosen = reference
      const next = reference === null ? null : (await get(reference)).lease.engine
      // Another one was chosen while this one was being opened.
      if (chosen === reference) inUse.set(next)
    },
    load: () =>
      void inUse
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
      if (chosen !== null && isConcerned(chosen)) inUse.set(null)
    },
    async [Symbol.asyncDispose]() {
      // The box is stopping and nobody waits for an answer any more.
      await Promise.allSettled(models.values())
      for (const { unloading } of opened) clearTimeout(unloading)
      await Promise.all([...opened].map(({ lease }) => lease.engine[Symbol.asyncDispose]()))
      await Promise.all(retiring)
    },
  }
}

/** Settles once a model doesn't load any more. */
function loaded(engine: ChatEngine): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const look = () => engine.state.status !== "loading" && resolve()
  const stop = engine.onState(look)
  look()
  return promise.finally(stop)
}

const holdsMemory = ({ model, state }: ChatEngine) => model.kind === "local" && state.status === "ready"
