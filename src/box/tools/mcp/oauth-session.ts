import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client"

/** Stored data of a sign-in. */
export interface OAuthRecord {
  client?: StoredOAuthClientInformation
  /** The user created this client manually, so it is never registered again. */
  clientIsGiven?: boolean
  /** The redirect URL the client was registered with. */
  redirectUrl?: string
  tokens?: StoredOAuthTokens
  discovery?: OAuthDiscoveryState
}

export interface OAuthSessionOptions {
  redirectUrl: string
  /** Requested if neither the server nor its metadata states the scope it needs. */
  scope: string | null
  /** Added to the URL that the user opens. */
  parameters: Readonly<Record<string, string>>
  read(): Promise<OAuthRecord>
  change(edit: (record: OAuthRecord) => OAuthRecord): Promise<void>
  /** The sign-in in progress; without one, the user can't be sent to a sign-in page. */
  signIn: SignIn | null
}

/** A sign-in in progress: its PKCE verifier and the URL for the user to open. */
export interface SignIn {
  state: string
  verifier: string | null
  authorizationUrl: URL | null
}

/** Signs in with the SDK's flow: metadata discovery, dynamic registration as a public client, PKCE and token refresh. */
export function createOAuthSession(options: OAuthSessionOptions): OAuthClientProvider {
  const { redirectUrl, scope, parameters, read, change, signIn } = options
  return {
    redirectUrl,
    clientMetadata: {
      client_name: "Casella",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      ...(scope === null ? {} : { scope }),
    },
    state: () => signIn?.state ?? "",
    clientInformation: async () => (await read()).client,
    saveClientInformation: (client) => change((record) => ({ ...record, client, redirectUrl })),
    tokens: async () => (await read()).tokens,
    saveTokens: (tokens) => change((record) => ({ ...record, tokens })),
    redirectToAuthorization(url) {
      if (!signIn) return
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      signIn.authorizationUrl = url
    },
    saveCodeVerifier(verifier) {
      if (signIn) signIn.verifier = verifier
    },
    codeVerifier() {
      if (!signIn?.verifier) throw new Error("No sign-in is under way.")
      return signIn.verifier
    },
    discoveryState: async () => (await read()).discovery,
    saveDiscoveryState: (discovery) => change((record) => ({ ...record, discovery })),
    invalidateCredentials: (what) =>
      change((record) => {
        const { client, tokens, discovery, ...rest } = record
        const shouldKeepClient = record.clientIsGiven === true || (what !== "all" && what !== "client")
        return {
          ...rest,
          ...(client && shouldKeepClient ? { client } : {}),
          ...(tokens && what !== "all" && what !== "tokens" ? { tokens } : {}),
          ...(discovery && what !== "all" && what !== "discovery" ? { discovery } : {}),
        }
      }),
  }
}
