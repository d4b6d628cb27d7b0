import type { ModelState } from "../../../shared/contract/models.ts"
import type { EventBus } from "../../core/event-bus.ts"
import type { ChatEngine, EngineModel, EngineState } from "../../engines/engine.ts"

/** A configured model that tells what it is doing. */
export type ObservedEngine = Pick<ChatEngine, "model" | "state" | "onState">

export interface ModelsDeps {
  chat: ObservedEngine | null
  embedding: ObservedEngine | null
  bus: EventBus
}

export interface Models extends Disposable {
  state(): { chat: ModelState | null; embedding: ModelState | null }
}

/** Tells callers which models are configured and connected apps when one changes what it is doing. */
export function createModels({ chat, embedding, bus }: ModelsDeps): Models {
  const stopWatching = Object.entries({ chat, embedding } as const).map(([role, engine]) => {
    let told = ""
    return engine?.onState((state) => {
      const model = toModelState(engine.model, state)
      const news = JSON.stringify(model)
      if (news === told) return
      told = news
      bus.publish("push", {
        userIds: null,
        message: { type: "model", role: role as "chat" | "embedding", model },
      })
    })
  })
  return {
    state: () => ({
      chat: chat && toModelState(chat.model, chat.state),
      embedding: embedding && toModelState(embedding.model, embedding.state),
    }),
    [Symbol.dispose]: () => stopWatching.forEach((stop) => stop?.()),
  }
}

function toModelState({ id, kind, contextSize }: EngineModel, state: EngineState): ModelState {
  const model = { id, kind, contextSize, status: state.status }
  switch (state.status) {
    case "idle":
      return model
    case "loading": // whole percents: nobody needs more news than that
      return { ...model, progress: Math.round(state.progress * 100) / 100 }
    case "ready":
      return { ...model, threads: state.threads, ...(state.gpu === false ? {} : { gpu: state.gpu }) }
    case "failed":
      return { ...model, error: state.error }
  }
}
