import type { api } from "../../../shared/contract/api.ts"
import type { Handlers } from "../../http/serve.ts"
import type { MetricsDeps } from "./metrics.ts"
import type { createReadiness, ReadinessDeps } from "./readiness.ts"

/** Rarely requested features are loaded, and start to count, with the first request for them. */
export function operationHandlers(deps: {
  readiness: ReadinessDeps
  metrics: MetricsDeps
}): Handlers<typeof api.operation> {
  let readiness: ReturnType<typeof createReadiness> | undefined
  let metrics: (() => Promise<string>) | undefined

  return {
    async ready({ response }) {
      const { createReadiness } = await import("./readiness.ts")
      readiness ??= createReadiness(deps.readiness)
      const readings = await readiness.read()
      response.setHeader("cache-control", "no-store")
      if (readings.status === "unready") response.status(503)
      return readings
    },

    async metrics({ response }) {
      const { createMetrics } = await import("./metrics.ts")
      metrics ??= createMetrics(deps.metrics)
      response.setHeader("content-type", "text/plain; version=0.0.4; charset=utf-8")
      response.setHeader("cache-control", "no-store")
      response.end(await metrics())
    },
  }
}
