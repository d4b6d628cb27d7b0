import type { api } from "../../../shared/contract/api.ts"
import type { Handlers } from "../../http/serve.ts"

export interface LogRoutesDeps {
  /** Directory to which the logger writes. */
  directory: string
}

export function logHandlers({ directory }: LogRoutesDeps): Handlers<typeof api.logs> {
  return {
    async read({ query }) {
      const { readLog } = await import("./read-log.ts")
      return { lines: await readLog(directory, query.level, query.limit) }
    },
  }
}
