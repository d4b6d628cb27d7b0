import { createHash } from "node:crypto"
import type { CallToolResult } from "@modelcontextprotocol/client"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Outbound } from "../../core/outbound/outbound.ts"
import { createMcpTool } from "../../tools/mcp/mcp-tool.ts"
import type { Definition } from "../../tools/mcp/definitions.ts"
import type { Integrations } from "../../tools/registry.ts"
import { refusalOfServer } from "../../tools/mcp/server.ts"
import { integrationCatalogue, type Servers } from "./servers.ts"
import { enabledTools, isChanged, type StoredServer } from "./store.ts"
import type { Health } from "./health.ts"
import { isUsable } from "./views.ts"

/** Connected servers as chats use them. Offering tools starts nothing; the first call does. */
export function createFunctions(
  servers: Servers,
  health: Health,
  outbound: Pick<Outbound, "refusal" | "programRefusal">,
): Integrations {
  const refusal = ({ target }: StoredServer) => target && refusalOfServer(outbound, target)
  const isWorking = (stored: StoredServer) =>
    isUsable(stored) && enabledTools(stored).length > 0 && refusal(stored) === null

  /** Checks everything again, because the server may have been disconnected or changed since the model was offered the tool. */
  async function call(
    userId: string,
    key: string,
    { name, hash }: Definition,
    args: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<CallToolResult> {
    const stored = await servers.find(userId, key)
    if (stored.linkedAt !== null && isChanged(stored)) throw changed(stored.name)
    if (!isUsable(stored)) throw new AppError("unavailable", sentence("integrations.not_linked_any_more"))
    if (stored.offTools.includes(name))
      throw new AppError("unavailable", sentence("integrations.function_off"))
    const server = await servers.prepare(userId, stored)
    return health.use(userId, server, signal, async (connection, offer) => {
      if (isChanged({ ...stored, offer }) || !offer.definitions.some((offered) => offered.hash === hash))
        throw changed(stored.name)
      return connection.call(name, args, signal)
    })
  }

  function createTools(userId: string, stored: StoredServer) {
    const { key, readTools } = stored
    return enabledTools(stored).map((definition) =>
      createMcpTool({
        key,
        definition,
        identity: getIdentity(stored, definition),
        readsOnly: readTools.includes(definition.name),
        unusable: () => refusal(stored)?.message ?? null,
        call: (args, signal) => call(userId, key, definition, args, signal),
      }),
    )
  }

  return {
    async tools(userId, keys) {
      const all = await servers.all(userId)
      return all
        .filter((stored) => keys.includes(stored.key) && isUsable(stored))
        .flatMap((stored) => createTools(userId, stored))
    },
    async linked(userId) {
      const all = await servers.all(userId)
      return new Set(all.filter(isWorking).map(({ key }) => key))
    },
    async servers(userId) {
      const own = (await servers.all(userId)).filter(({ key }) => !integrationCatalogue().has(key))
      return own.map((stored) => ({
        key: stored.key,
        name: stored.name,
        description: `Functions of the server ${stored.name}.`,
        group: "mcp",
        effect: "write",
        linked: isWorking(stored),
      }))
    },
  }
}

/** Includes the connection time, because reconnecting may be for another account. */
const getIdentity = ({ target, linkedAt }: StoredServer, { hash }: Definition): string =>
  createHash("sha256")
    .update(JSON.stringify([target, linkedAt, hash]))
    .digest("hex")

const changed = (name: string) =>
  new AppError("unavailable", sentence("integrations.functions_changed", { name }))
