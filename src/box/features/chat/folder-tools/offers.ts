import type { ChatEngine } from "../../../engines/engine.ts"

/**
 * A smaller context is filled by the passages that are found before the answer; several rounds of results have no room beside
 * them.
 */
const smallestContext = 8_192

/** Whether a model is told of the tools of folders: one that wasn't made to call functions only gets confused. */
export const offersFolderTools = ({ model }: ChatEngine): boolean =>
  model.callsFunctions && model.contextSize >= smallestContext
