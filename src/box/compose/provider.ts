import { createBoxValues } from "../core/database/box-values.ts"
import type { CustomFetch } from "openid-client"
import type { OidcConfig } from "../box-config.ts"
import { lazy } from "../core/lazy.ts"
import type { Outbound } from "../core/outbound/outbound.ts"
import type { Sessions } from "../features/accounts/sessions.ts"
import type { Base } from "./compose-options.ts"

export interface ProviderNeeds {
  outbound: Outbound
  sessions: Sessions
  onRevoked: (credentialId: string) => void
  addresses: () => { local: string }
}

/**
 * The identity provider that was configured at the start, which signs users in as an alternative to links; null: none. Loaded only if one
 * is configured.
 */
export const composeProvider = (base: Base, needs: ProviderNeeds) =>
  base.config.oidc && configured(base, base.config.oidc, needs)

function configured(
  base: Base,
  oidc: OidcConfig,
  { outbound, sessions, onRevoked, addresses }: ProviderNeeds,
) {
  const { config, database, logger, port } = base
  const { issuer } = oidc
  const publicUrl = () => config.publicUrl ?? addresses().local
  const fetch = (address: string, options: Parameters<CustomFetch>[1]) =>
    outbound.fetch(address, { ...options, purpose: "sign-in" } as Parameters<Outbound["fetch"]>[1])

  const provider = lazy(async () =>
    (await import("../features/accounts/provider/provider.ts")).createProvider(oidc, fetch),
  )
  const signIn = lazy(async () => {
    const { createProviderSignIn } = await import("../features/accounts/provider/provider-sign-in.ts")
    const { admit } = await import("../features/accounts/provider/provider-people.ts")
    const { heldOwnerIds } = await import("../features/accounts/provider/held-owners.ts")
    const values = createBoxValues(database.db)
    return createProviderSignIn({
      provider: await provider(),
      admit: async (claims) => admit(database.db, claims, oidc, await heldOwnerIds(values)),
      sessions,
      onRevoked,
      publicUrl,
      port,
      logger,
    })
  })

  return {
    /** Its host, by which users know it. */
    name: new URL(issuer).host,
    signIn,
    /** Logs a warning if the provider can't be reached; it is contacted again when someone signs in. */
    refresh: async (): Promise<void> =>
      (await provider()).refresh().catch((error: unknown) => {
        logger.warn({ err: error, issuer }, "The sign-in provider can't be reached")
      }),
    /** Returns where a browser signs out at the provider. Signing out here never fails because the provider doesn't respond. */
    leave: async (idToken: string): Promise<string | null> =>
      (await provider()).getSignOutUrl(idToken, `${publicUrl()}/`).catch(() => null),
  }
}
