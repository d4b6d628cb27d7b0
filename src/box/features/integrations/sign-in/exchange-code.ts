import { auth } from "@modelcontextprotocol/client"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { explain } from "../../../tools/mcp/explain.ts"
import type { ServerFetches, Server } from "../../../tools/mcp/server.ts"
import { withDeadline, notLetIn, type Answer, type PendingSignIn } from "./sign-ins.ts"
import type { Servers } from "../servers.ts"
import type { Vault } from "../vault.ts"

/** Exchanges the provider's answer for tokens and returns the server, which is then signed in. */
export async function exchangeCode(
  {
    servers,
    vault,
    fetches,
  }: {
    servers: Servers
    vault: Vault
    fetches: ServerFetches
  },
  signIn: PendingSignIn,
  { code, iss }: Answer,
  signal: AbortSignal,
): Promise<Server> {
  const { userId, key } = signIn
  if (code === undefined) throw notLetIn()
  const stored = await servers.find(userId, key)
  const server = await servers.prepare(userId, stored, signIn)
  if (server.target.kind !== "http") throw new AppError("conflict", sentence("integrations.not_elsewhere"))
  const serverUrl = server.target.url
  const metadata = (await vault.read(userId, key)).oauth.discovery?.authorizationServerMetadata
  // The SDK compares issuers (RFC 9207), but accepts any issuer if the provider published no metadata.
  if (iss !== undefined && metadata === undefined)
    throw new AppError("conflict", sentence("integrations.wrong_issuer"))
  const answer = { authorizationCode: code, ...(iss === undefined ? {} : { iss }) }
  const fetchFn = fetches.of(serverUrl, signal)
  await withDeadline(signal, auth(server.auth, { serverUrl, ...answer, fetchFn })).catch((cause: unknown) => {
    throw explain(cause)
  })
  return server
}
