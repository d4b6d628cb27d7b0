import type { api } from "../../../shared/contract/api.ts"
import type { Handlers } from "../../http/serve.ts"

/**
 * @param directory directory to which the logger writes
 */
export function logHandlers(directory: string): Handlers<typeof api.logs> {
  return {
    async read({ query }) {
      const { readLog } = await import("./read-log.ts")
      return { lines: await readLog(directory, query.level, query.limit) }
    },
  }
}
