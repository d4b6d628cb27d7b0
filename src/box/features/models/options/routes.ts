import type { api } from "../../../../shared/contract/api.ts"
import type { Handlers } from "../../../http/serve.ts"
import type { OpenModelOptions } from "./model-options.ts"

export function modelOptionHandlers(options: OpenModelOptions): Handlers<typeof api.modelOptions> {
  return {
    read: ({ params }) => options.read(params.modelId),
    update: ({ params, body }) => options.update(params.modelId, body),
  }
}
