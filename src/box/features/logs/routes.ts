import type { api } from "../../../shared/contract/api.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import type { Handlers } from "../../http/serve.ts"
import { readLog } from "./read-log.ts"

export interface LogRoutesDeps {
  /** Where the logger writes. */
  directory: string
  isOwner(userId: string): Promise<boolean>
}

/** The log tells of everyone's files and requests, so only owners read it. */
export function logHandlers({ directory, isOwner }: LogRoutesDeps): Handlers<typeof api.logs> {
  return {
    async read({ caller, query }) {
      if (!(await isOwner(caller.userId)))
        throw new AppError("forbidden", "Only an owner of the workspace may read the log.")
      return { lines: await readLog(directory, query.level, query.limit) }
    },
  }
}
