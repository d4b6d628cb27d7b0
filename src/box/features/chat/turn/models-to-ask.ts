import type { ChatEngine } from "../../../engines/engine.ts"

/** The models that can write answers. */
export interface ModelsToAsk {
  /** Returns the selected model. */
  engine(): ChatEngine | null
  /** Returns the model with this ID or name, or null if there is none. */
  namedModel(named: string): Promise<ChatEngine | null>
}

/** Returns the model of a turn. If it no longer exists, returns the selected one. */
export const modelOfTurn = async (deps: ModelsToAsk, modelId: string | null): Promise<ChatEngine | null> =>
  (modelId === null ? null : await deps.namedModel(modelId)) ?? deps.engine()
