import { createHash } from "node:crypto"
import type {
  ServerTarget,
  Integration,
  IntegrationState,
  IntegrationSummary,
} from "../../../shared/contract/integrations.ts"
import type { Sentence } from "../../../shared/sentences/sentence.ts"
import type { Outbound } from "../../core/outbound/outbound.ts"
import { refusalOfServer } from "../../tools/mcp/server.ts"
import type { Health } from "./health.ts"
import { integrationCatalogue, type Servers } from "./servers.ts"
import { type StoredServer, getChanges, enabledTools, isChanged, listUsableTools } from "./store.ts"
import type { Credentials, Vault } from "./vault.ts"

/** Identifies exactly this command with exactly these variables. A client that sends it back has seen what will run. */
export function consentFor(target: ServerTarget | null, env: Record<string, string>): string | null {
  if (target?.kind !== "command") return null
  const variables = Object.keys(env)
    .sort()
    .map((name) => [name, env[name]])
  const what = JSON.stringify([target.command, target.args, variables])
  return createHash("sha256").update(what).digest("base64url")
}

interface Presented {
  server: StoredServer
  credentials: Credentials
  problem: Sentence | null
  redirectUrl: string
}

/** A server as the API shows it. Secrets aren't included, only whether they are set. */
function presentSummary({ server, credentials, problem, redirectUrl }: Presented): IntegrationSummary {
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

function present(presented: Presented): Integration {
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

/** Servers as their users see them. */
export type Views = ReturnType<typeof createViews>

export function createViews({
  servers,
  vault,
  health,
  outbound,
  redirectUrl,
}: {
  servers: Servers
  vault: Vault
  health: Health
  outbound: Pick<Outbound, "refusal" | "programRefusal">
  redirectUrl(): string
}) {
  async function show(userId: string, server: StoredServer) {
    const credentials = await vault.read(userId, server.key)
    const refusal = server.linkedAt !== null && server.target && refusalOfServer(outbound, server.target)
    const problem = refusal ? refusal.sentence : health.problem(userId, server.key)
    return { server, credentials, problem, redirectUrl: redirectUrl() }
  }

  return {
    async list(userId: string): Promise<IntegrationSummary[]> {
      const all = await servers.all(userId)
      return Promise.all(all.map(async (server) => presentSummary(await show(userId, server))))
    },
    /** Throws `not_found`. */
    read: async (userId: string, key: string): Promise<Integration> =>
      present(await show(userId, await servers.find(userId, key))),
  }
}
