import type {
  Integration,
  IntegrationState,
  IntegrationSummary,
} from "../../../shared/contract/integrations.ts"
import { integrationCatalogue } from "./catalogue.ts"
import { getChanges, enabledTools, isChanged, listUsableTools } from "./changes.ts"
import { consentFor } from "./consent.ts"
import type { StoredServer } from "./store.ts"
import type { Credentials } from "./vault.ts"
import type { Sentence } from "../../../shared/sentences/sentence.ts"

export interface Presented {
  server: StoredServer
  credentials: Credentials
  problem: Sentence | null
  redirectUrl: string
}

/** A server as the API shows it. Secrets aren't included, only whether they are set. */
export function presentSummary({ server, credentials, problem, redirectUrl }: Presented): IntegrationSummary {
  const { key, name, target, linkedAt } = server
  const entry = integrationCatalogue().get(key)
  const state = getState(server)
  return {
    key,
    name,
    group: entry ? "integration" : "mcp",
    state,
    target,
    setup: entry?.setup ?? "none",
    documentation: entry?.documentation ?? null,
    redirectUrl,
    consent: consentFor(target, credentials.env),
    clientId: credentials.clientId,
    hasToken: credentials.token !== null,
    hasClientSecret: credentials.clientSecret !== null,
    environment: Object.keys(credentials.env),
    linkedAt,
    toolCount: isUsable(server) ? enabledTools(server).length : 0,
    changeCount: linkedAt === null ? 0 : getChanges(server).length,
    problem: problem && problem.text,
    ...problem?.field,
  }
}

export function present(presented: Presented): Integration {
  const { server } = presented
  const linked = server.linkedAt !== null
  return {
    ...presentSummary(presented),
    tools: (linked && !isChanged(server) ? listUsableTools(server) : []).map(
      ({ name, functionName, description, parameters }) => ({
        name,
        functionName,
        description,
        parameters,
        effect: server.readTools.includes(name) ? "read" : "write",
        enabled: !server.offTools.includes(name),
      }),
    ),
    changes: linked ? getChanges(server) : [],
    refused: linked ? server.offer.refused : [],
  }
}

/** Whether the server's tools can be called now. */
export const isUsable = (server: StoredServer): boolean =>
  server.linkedAt !== null && !server.signedOut && !isChanged(server)

function getState(server: StoredServer): IntegrationState {
  if (server.target === null) return "needs_address"
  if (server.linkedAt === null) return "unlinked"
  if (server.signedOut) return "signed_out"
  return isChanged(server) ? "changed" : "linked"
}
