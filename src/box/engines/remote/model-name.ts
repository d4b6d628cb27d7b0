import { z } from "zod"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { ServerConnection } from "./server-connection.ts"

const Models = z.object({ data: z.array(z.object({ id: z.string() })) })

/** The model's name on a server. If no name is configured, the server is queried once. */
export interface ModelName {
  get(signal?: AbortSignal): Promise<string>
  /** The name, if it is known without a query. */
  known(): string | null
}

export function createModelName(server: ServerConnection, given: string | undefined): ModelName {
  let name = given ?? null
  return {
    known: () => name,
    async get(signal) {
      if (name !== null) return name
      const parsed = Models.safeParse(await server.json("/models", undefined, signal))
      const first = parsed.success ? parsed.data.data[0]?.id : undefined
      if (first === undefined) throw new AppError("unavailable", sentence("remote.no_model"))
      name = first
      return first
    },
  }
}
