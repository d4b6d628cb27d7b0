import type { OAuthClientProvider } from "@modelcontextprotocol/client"
import type { ServerTarget } from "../../../shared/contract/integrations.ts"

/** A server to connect to, with all it is given. */
export interface Server {
  /** Unique on the box: who owns it and its key. */
  id: string
  key: string
  target: ServerTarget
  /** Sent with each request. */
  token: string | null
  /** What a local process gets beside PATH, HOME and the user's name. */
  env: Record<string, string>
  /** Signs in, where the server wants that and no token is given. */
  auth: OAuthClientProvider
}

/** The server wants its user to sign in, and nobody is there to do so. */
export class NeedsSignIn extends Error {
  override readonly name = "NeedsSignIn"
}
