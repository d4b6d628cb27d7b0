import type { Request } from "express"
import type { api } from "../../../shared/contract/api.ts"
import { untilClosed } from "../../http/answers/until-closed.ts"
import type { Handlers } from "../../http/serve.ts"
import type { Facts, FactsQuestion } from "./service.ts"

/** The service is loaded with the first request. */
export function factsHandlers(open: () => Promise<Facts>): Handlers<typeof api.facts> {
  const questionOf = (userId: string, folderId: string, request: Request): FactsQuestion => ({
    userId,
    folderId,
    signal: untilClosed(request),
  })
  return {
    overview: async ({ caller, params, request }) =>
      (await open()).overview(questionOf(caller.userId, params.id, request), params.fileId),
    list: async ({ caller, params, query, request }) =>
      (await open()).list(questionOf(caller.userId, params.id, request), query),
    terms: async ({ caller, params, request }) =>
      (await open()).terms(questionOf(caller.userId, params.id, request)),
  }
}
