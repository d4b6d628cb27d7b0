import type { OAuthClientProvider } from "@modelcontextprotocol/client"
import type { ServerTarget } from "../../../shared/contract/integrations.ts"

/** A server to connect to, with everything it receives. */
export interface Server {
  /** Unique in the box: made of its owner and key. */
  id: string
  key: string
  target: ServerTarget
  /** Sent with each request. */
  token: string | null
  /** Environment variables for a local process, in addition to PATH, HOME and the user name. */
  env: Record<string, string>
  /** Signs in if the server requires it and no token is given. */
  auth: OAuthClientProvider
}

/** The server requires its user to sign in, but no sign-in is in progress. */
export class NeedsSignIn extends Error {
  override readonly name = "NeedsSignIn"
}
