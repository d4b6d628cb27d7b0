import type { api } from "../../../shared/contract/api.ts"
import type { Handlers } from "../../http/serve.ts"
import type { createReadiness, ReadinessDeps } from "./readiness.ts"

export interface OperationDeps {
  readiness: ReadinessDeps
}

/** What few boxes are asked is loaded with the first who asks. */
export function operationHandlers(deps: OperationDeps): Handlers<typeof api.operation> {
  let readiness: ReturnType<typeof createReadiness> | undefined

  return {
    async ready({ response }) {
      const { createReadiness } = await import("./readiness.ts")
      readiness ??= createReadiness(deps.readiness)
      const readings = await readiness.read()
      response.setHeader("cache-control", "no-store")
      if (readings.status === "unready") response.status(503)
      return readings
    },
  }
}
