import type { Request } from "express"
import type { api } from "../../../shared/contract/api.ts"
import type { Logger } from "../../core/logger.ts"
import { toAppError } from "../../http/error-response.ts"
import type { Handlers } from "../../http/serve.ts"
import { answerPage, answers } from "./answer-page.ts"
import type { IntegrationService } from "./service.ts"

export function integrationHandlers(
  integrations: IntegrationService,
  logger: Logger,
): Handlers<typeof api.integrations> {
  return {
    list: async ({ caller }) => ({ integrations: await integrations.list(caller.userId) }),
    add: async ({ caller, body }) => ({ integration: await integrations.add(caller.userId, body) }),
    async callback({ query, request, response }) {
      const language = languageOf(request)
      const words = answers[language]
      const show = (status: number, title: string, text: string) =>
        void response.status(status).type("html").send(answerPage({ title, text, language }))
      response.setHeader("cache-control", "no-store")
      try {
        show(200, words.linked(await integrations.complete(query)), words.close)
      } catch (error) {
        const { status, message } = toAppError(error, logger)
        show(status, words.failed, words.why(message))
      }
    },
    read: async ({ caller, params }) => ({ integration: await integrations.read(caller.userId, params.key) }),
    update: async ({ caller, params, body }) => ({
      integration: await integrations.update(caller.userId, params.key, body),
    }),
    async remove({ caller, params }) {
      await integrations.remove(caller.userId, params.key)
      return { success: true, key: params.key }
    },
    link: ({ caller, params, body }) => integrations.link(caller.userId, params.key, body.consent),
    unlink: async ({ caller, params }) => ({
      integration: await integrations.unlink(caller.userId, params.key),
    }),
    check: async ({ caller, params }) => ({
      integration: await integrations.check(caller.userId, params.key),
    }),
    approve: async ({ caller, params, body }) => ({
      integration: await integrations.approve(caller.userId, params.key, body.hashes),
    }),
    mark: async ({ caller, params, body }) => ({
      integration: await integrations.mark(caller.userId, params.key, body),
    }),
  }
}

const languageOf = (request: Request) => (request.acceptsLanguages(["en", "it"]) === "it" ? "it" : "en")
