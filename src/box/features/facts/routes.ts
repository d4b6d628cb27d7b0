import type { Request } from "express"
import type { api } from "../../../shared/contract/api.ts"
import { createCloseSignal } from "../../http/answers/answer-limits.ts"
import type { Handlers } from "../../http/serve.ts"
import type { Facts, FactsQuestion } from "./service.ts"

/** The service is loaded with the first request. */
export function factsHandlers(open: () => Promise<Facts>): Handlers<typeof api.facts> {
  const getQuestion = (userId: string, folderId: string, request: Request): FactsQuestion => ({
    userId,
    folderId,
    signal: createCloseSignal(request),
  })
  return {
    overview: async ({ caller, params, request }) =>
      (await open()).overview(getQuestion(caller.userId, params.id, request), params.fileId),
    list: async ({ caller, params, query, request }) =>
      (await open()).list(getQuestion(caller.userId, params.id, request), query),
    terms: async ({ caller, params, request }) =>
      (await open()).terms(getQuestion(caller.userId, params.id, request)),
  }
}
