import type { IncomingMessage } from "node:http"
import type { api } from "../../../shared/contract/api.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { Authenticate } from "../../http/authenticate.ts"
import { toAppError } from "../../http/error-response.ts"
import type { Handlers } from "../../http/serve.ts"
import { answerPage } from "./sign-in/answer-page.ts"
import type { IntegrationService } from "./service.ts"

export interface IntegrationRoutesDeps {
  integrations: IntegrationService
  authenticate: Authenticate
  /** Whether a session belongs to the desktop app. */
  isInApp(sessionId: string): boolean
  logger: Logger
}

export function integrationHandlers({
  integrations,
  authenticate,
  isInApp,
  logger,
}: IntegrationRoutesDeps): Handlers<typeof api.integrations> {
  /** The session or key that sends the request; null if there is none. */
  const getCredential = (request: IncomingMessage) =>
    authenticate(request, "header").then(
      ({ credentialId }) => credentialId,
      () => null,
    )

  return {
    list: async ({ caller }) => ({ integrations: await integrations.list(caller.userId) }),
    add: async ({ caller, body }) => ({ integration: await integrations.add(caller.userId, body) }),
    async callback({ query, request, response }) {
      response.setHeader("cache-control", "no-store")
      try {
        response.redirect(303, await integrations.handleCallback(query))
      } catch (error) {
        const { status, message } = toAppError(error, logger)
        response.status(status).type("html").send(answerPage(request.acceptsLanguages(), message))
      }
    },
    signIn: async ({ body, request }) => integrations.signIn(body.state, await getCredential(request)),
    async handOver({ body: { state, ...answer } }) {
      await integrations.handOver(state, answer)
      return { success: true }
    },
    finish: async ({ caller, body: { state, ...answer } }) => ({
      integration: await integrations.finish(caller, state, answer),
    }),
    read: async ({ caller, params }) => ({ integration: await integrations.read(caller.userId, params.key) }),
    update: async ({ caller, params, body }) => ({
      integration: await integrations.update(caller.userId, params.key, body),
    }),
    async remove({ caller, params }) {
      await integrations.remove(caller.userId, params.key)
      return { success: true, key: params.key }
    },
    link: ({ caller: { userId, credentialId }, params, body, request }) =>
      integrations.link(
        {
          userId,
          credentialId,
          origin: `http://${request.headers.host}`, // the host check has already verified it
          inApp: isInApp(credentialId),
        },
        params.key,
        body.consent,
      ),
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
