import type { Integration, IntegrationSummary } from "../../../shared/contract/integrations.ts"
import type { Outbound } from "../../core/outbound/outbound.ts"
import { refusalOfServer } from "../../tools/mcp/refusal.ts"
import type { Health } from "./health.ts"
import { present, presentSummary } from "./present.ts"
import type { Servers } from "./servers.ts"
import type { StoredServer } from "./store.ts"
import type { Vault } from "./vault.ts"

export interface ViewsDeps {
  servers: Servers
  vault: Vault
  health: Health
  outbound: Pick<Outbound, "refusal" | "programRefusal">
  redirectUrl(): string
}

/** Servers as their users see them. */
export function createViews({ servers, vault, health, outbound, redirectUrl }: ViewsDeps) {
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
