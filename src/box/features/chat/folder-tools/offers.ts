import type { ChatEngine } from "../../../engines/engine.ts"

/** The initial passages fill a smaller context, which has no space for several rounds of results. */
const smallestContext = 8_192

/** Whether a model is offered the folder tools. They only confuse a model that wasn't trained to call functions. */
export const offersFolderTools = ({ model }: ChatEngine): boolean =>
  model.callsFunctions && model.contextSize >= smallestContext
