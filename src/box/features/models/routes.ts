import type { api } from "../../../shared/contract/api.ts"
import type { Handlers } from "../../http/serve.ts"
import type { Models } from "./service.ts"

export function modelHandlers(models: Models): Handlers<typeof api.models> {
  return { state: () => models.state() }
}
