import type { ChatEngine } from "../../../engines/engine.ts"

/** The models that answers are written by. */
export interface ModelsToAsk {
  /** The chosen one. */
  engine(): ChatEngine | null
  /** The one of an id or a name; null where there is none. */
  namedModel(named: string): Promise<ChatEngine | null>
}

/** The model of a turn: one that is gone since it was asked leaves it to the chosen one. */
export const modelOfTurn = async (deps: ModelsToAsk, modelId: string | null): Promise<ChatEngine | null> =>
  (modelId === null ? null : await deps.namedModel(modelId)) ?? deps.engine()
