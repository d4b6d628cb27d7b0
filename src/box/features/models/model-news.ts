import { ModelRole, type ModelDownload, type ModelState } from "../../../shared/contract/models.ts"
import type { Push, EventBus } from "../../core/event-bus.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { EmbeddingEngine, EngineModel, EngineState } from "../../engines/engine.ts"
import type { ModelInUse } from "./answering/models-in-use.ts"

/** A configured model that reports its state. */
export type ObservedEngine = Pick<EmbeddingEngine, "model" | "state" | "onState">

export interface ModelNews extends Disposable {
  /** Reports changes in the engines' environment, such as local-only. */
  refresh(): void
  state(): Record<ModelRole, ModelState | null>
}

/** Returns the state of the models in use, and notifies connected apps when a model's state changes or it is replaced. */
export function createModelNews(
  roles: Readonly<Record<ModelRole, ModelInUse<ObservedEngine>>>,
  push: Push,
): ModelNews {
  const getState = (role: ModelRole) => {
    const engine = roles[role].engine()
    return engine && toModelState(engine.model, engine.state)
  }
  const watched = ModelRole.options.map(watch)

  function watch(role: ModelRole): { reportState(): void; stop(): void } {
    let lastPushed = ""
    const reportState = () => {
      const model = getState(role)
      const news = JSON.stringify(model)
      if (news === lastPushed) return
      lastPushed = news
      push(null, { type: "model", role, model })
    }
    const follow = () => roles[role].engine()?.onState(reportState)
    let stopFollowing = follow()
    const stopWatching = roles[role].onReplaced(() => {
      stopFollowing?.()
      stopFollowing = follow()
      reportState()
    })
    return {
      reportState,
      stop() {
        stopWatching()
        stopFollowing?.()
      },
    }
  }

  return {
    state: () => ({ chat: getState("chat"), embedding: getState("embedding"), rerank: getState("rerank") }),
    refresh: () => watched.forEach(({ reportState }) => reportState()),
    [Symbol.dispose]: () => watched.forEach(({ stop }) => stop()),
  }
}

function toModelState({ id, kind, contextSize }: EngineModel, state: EngineState): ModelState {
  const model = { id, kind, contextSize, status: state.status }
  switch (state.status) {
    case "idle":
      return model
    case "loading": // whole percents are precise enough
      return { ...model, progress: Math.round(state.progress * 100) / 100 }
    case "ready":
      return { ...model, threads: state.threads, ...describeHardware(state) }
    case "failed":
      return { ...model, error: state.error, ...(state.sentence && { sentence: state.sentence }) }
  }
}

/** The hardware a loaded model runs on: a GPU, or the processor and how it is used. */
function describeHardware({
  gpu,
  processor,
}: Extract<EngineState, { status: "ready" }>): Partial<ModelState> {
  if (gpu !== false) return { gpu }
  if (!processor) return {}
  const { promptThreads, instructionSet } = processor
  return { promptThreads, ...(instructionSet !== null && { instructionSet }) }
}

/**
 * Notifies owners' apps of each change of a download, and the server's other features of each end.
 * @param ownerIds only owners are notified, as with the list of downloads: file names and servers' messages reveal details of the computer
 */
export function createDownloadNews(
  bus: EventBus,
  push: Push,
  ownerIds: () => Promise<readonly string[]>,
  logger: Logger,
) {
  /** Last reported state of each download. */
  const lastStatuses = new Map<string, ModelDownload["status"]>()

  return (download: ModelDownload): void => {
    const { id, status } = download
    ownerIds().then(
      (userIds) => push(userIds, { type: "model.download", download }),
      (error: unknown) => logger.error({ err: error }, "Sending news of a download failed"),
    )
    const before = lastStatuses.get(id)
    if (status === "cancelled") lastStatuses.delete(id)
    else lastStatuses.set(id, status)
    if (status !== before && (status === "done" || status === "failed"))
      bus.publish("download.ended", { download })
  }
}
