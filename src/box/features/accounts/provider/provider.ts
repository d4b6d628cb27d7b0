import type { Configuration, CustomFetch } from "openid-client"

/** Returns a function that calls `make` on first use and keeps the result. It calls `make` again only after a failure. */
function memoiseUntilFailure<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    if (made) return made
    const making = make()
    making.catch(() => (made = undefined))
    return (made = making)
  }
}

export interface ProviderOptions {
  issuer: string
  clientId: string
  /** null: a public client, which is protected by PKCE only. */
  clientSecret: string | null
  groupsClaim: string
}

/** The provider's claims about a person who signed in. */
export interface ProviderClaims {
  issuer: string
  subject: string
  email: unknown
  emailVerified: unknown
  name: string | null
  groups: readonly string[]
  /** Identifies the user to the provider when signing out. */
  idToken: string
}

/** Data stored between sending a browser away and its return. */
export interface Checks {
  state: string
  nonce: string
  verifier: string
}

/** An OpenID Connect provider. Failed requests throw the errors of its library or of the network. */
export interface Provider {
  /** Fetches the provider's metadata if they aren't known yet. */
  refresh(): Promise<void>
  /** Returns the URL where a browser signs in, to return to `redirectUri`. */
  begin(redirectUri: string): Promise<{ url: string; checks: Checks }>
  /** Returns the provider's claims about the person who returned to this URL. */
  finish(callbackUrl: URL, checks: Checks): Promise<ProviderClaims>
  /** Returns the URL where a browser signs out and then returns to the page; null if the provider has none. */
  getSignOutUrl(idToken: string, pageUrl: string): Promise<string | null>
}

/** Timeout of one request to the provider, in seconds. */
const maxSeconds = 10

/** @param fetch sends requests to other computers */
export function createProvider(
  { issuer, clientId, clientSecret, groupsClaim }: ProviderOptions,
  fetch: CustomFetch,
): Provider {
  const library = () => import("openid-client")
  const address = new URL(issuer)

  const known = memoiseUntilFailure(async (): Promise<Configuration> => {
    const { allowInsecureRequests, customFetch, discovery, enableNonRepudiationChecks, None } =
      await library()
    return discovery(
      address,
      clientId,
      clientSecret ?? undefined,
      clientSecret === null ? None() : undefined,
      {
        [customFetch]: fetch,
        timeout: maxSeconds,
        // oxlint-disable-next-line typescript/no-deprecated -- the settings let only this computer be spoken to in the clear
        execute: [
          enableNonRepudiationChecks, // otherwise nothing verifies an ID token's signature
          ...(address.protocol === "http:" ? [allowInsecureRequests] : []),
        ],
      },
    )
  })

  return {
    refresh: async () => void (await known()),

    async begin(redirectUri) {
      const configuration = await known()
      const client = await library()
      const checks = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      }
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: scopesFor(configuration, groupsClaim),
        code_challenge: await client.calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: "S256",
        state: checks.state,
        nonce: checks.nonce,
      })
      return { url: url.href, checks }
    },

    async finish(callbackUrl, { state, nonce, verifier }) {
      const configuration = await known()
      const client = await library()
      const tokens = await client.authorizationCodeGrant(configuration, callbackUrl, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      const signed = tokens.claims()
      if (!signed || tokens.id_token === undefined) throw new Error("The provider sent no ID token.")
      const isWhole = signed["email"] !== undefined && signed[groupsClaim] !== undefined
      const asked: Record<string, unknown> =
        isWhole || configuration.serverMetadata().userinfo_endpoint === undefined
          ? {}
          : await client.fetchUserInfo(configuration, tokens.access_token, signed.sub)
      // An address and its verification belong together, so both are taken from the same source.
      const { email, email_verified: emailVerified }: Record<string, unknown> =
        signed["email"] === undefined ? asked : signed
      const claims: Record<string, unknown> = { ...asked, ...signed }
      return {
        issuer: signed.iss,
        subject: signed.sub,
        email,
        emailVerified,
        name: [claims["name"], claims["preferred_username"]].find(isText) ?? null,
        groups: [claims[groupsClaim]].flat().filter(isText),
        idToken: tokens.id_token,
      }
    },

    async getSignOutUrl(idToken, pageUrl) {
      const configuration = await known()
      if (configuration.serverMetadata().end_session_endpoint === undefined) return null
      const { buildEndSessionUrl } = await library()
      const parameters = { id_token_hint: idToken, post_logout_redirect_uri: pageUrl }
      return buildEndSessionUrl(configuration, parameters).href
    },
  }
}

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== ""

/** Some providers return groups only if a scope of that name is requested. */
function scopesFor(configuration: Configuration, groupsClaim: string): string {
  const { scopes_supported: scopes = [] } = configuration.serverMetadata()
  return ["openid", "email", "profile", ...(scopes.includes(groupsClaim) ? [groupsClaim] : [])].join(" ")
}
