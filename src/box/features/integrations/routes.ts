import type { IncomingMessage } from "node:http"
import type { api } from "../../../shared/contract/api.ts"
import { findLanguage, type Language } from "../../../shared/languages.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { Authenticate } from "../../http/authenticate.ts"
import { toAppError } from "../../http/error-response.ts"
import type { Handlers } from "../../http/serve.ts"
import type { IntegrationService } from "./service.ts"

/**
 * The page that a browser shows when a provider's redirect fails. It is in the first supported language of `accepted`, or in English. It
 * contains no script and no content from the provider.
 */
function answerPage(accepted: readonly string[], reason: string): string {
  const language = findLanguage(accepted)
  const { title, text = reason } = answers[language]
  return `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>${escape(title)}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto 0;padding:0 1.5rem}h1{font-size:1.25rem}</style>
<h1>${escape(title)}</h1><p>${escape(text)}</p></html>`
}

/** Texts by language. The reason itself is in English, and apps translate it themselves. */
const answers: Readonly<Record<Language, { title: string; text?: string }>> = {
  en: { title: "It couldn't be linked" },
  de: {
    title: "Die Verbindung ist fehlgeschlagen",
    text: "Kehren Sie zu Casella zurück: Dort steht der Grund, und Sie können es erneut versuchen.",
  },
  it: {
    title: "Il collegamento non è riuscito",
    text: "Torna a Casella: lì c’è scritto il perché, e puoi riprovare.",
  },
}

const escape = (text: string) =>
  text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0) ?? 0};`)

/**
 * @param isInApp whether a session belongs to the desktop app
 */
export function integrationHandlers(
  integrations: IntegrationService,
  authenticate: Authenticate,
  isInApp: (sessionId: string) => boolean,
  logger: Logger,
): Handlers<typeof api.integrations> {
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
