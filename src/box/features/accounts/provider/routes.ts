import type { api } from "../../../../shared/contract/api.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { Handlers } from "../../../http/serve.ts"
import type { ProviderSignIn } from "./provider-sign-in.ts"

export interface ProviderRoutesDeps {
  /** null if no provider is configured. */
  provider: {
    name: string
    /** Loaded at the first sign-in. */
    signIn(): Promise<ProviderSignIn>
  } | null
}

export function providerSignInHandlers({
  provider,
}: ProviderRoutesDeps): Handlers<typeof api.providerSignIn> {
  function signIn(): Promise<ProviderSignIn> {
    if (provider) return provider.signIn()
    throw new AppError("not_found", sentence("accounts.no_provider"))
  }

  return {
    ways: () => ({ provider: provider && { name: provider.name } }),
    begin: async ({ request, response, query }) =>
      (await signIn()).begin(request, response, query.moved !== undefined),
    callback: async ({ request, response }) => (await signIn()).handleCallback(request, response),
  }
}
