import type { api } from "../../../shared/contract/api.ts"
import { createCloseSignal } from "../../http/answers/answer-limits.ts"
import type { Handlers } from "../../http/serve.ts"
import type { Questions } from "./service.ts"

export function questionHandlers(load: () => Promise<Questions>): Handlers<typeof api.questions> {
  return {
    list: async ({ caller, query }) => (await load()).list(caller, query),
    ask: async ({ caller, body }) => ({ question: await (await load()).ask(caller, body) }),
    read: async ({ caller, params, query, request }) => ({
      question: await (await load()).read(caller, params.id, query.wait, createCloseSignal(request)),
    }),
    answer: async ({ caller, params, body }) => ({
      question: await (await load()).answer(caller, params.id, body.choice),
    }),
  }
}
