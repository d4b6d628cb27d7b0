import { z } from "zod"
import { AppError, invalidField } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { SupportAccount, SupportSignIn } from "../../../shared/contract/support.ts"
import type { SecretStore } from "../../core/secret-store.ts"
import { ServiceFailure, type AuthService } from "./auth-service.ts"

const StoredAccount = z.object({
  /** The key is sent only to this service, even if the server is later started with another one. */
  authUrl: z.string(),
  key: z.string(),
  email: z.string().nullable(),
  name: z.string().nullable(),
  expiresAt: z.string().nullable(),
  /** Whether the server created the key itself, and may therefore revoke it. */
  ownKey: z.boolean(),
})
type StoredAccount = z.infer<typeof StoredAccount>

/** The accounts under which users' tickets are sent. A sign-in stores only a key, which can only create tickets. */
export interface CloudAccounts {
  read(userId: string): Promise<SupportAccount>
  /** Null if the user isn't signed in. */
  key(userId: string): Promise<string | null>
  /** Throws `validation` if the service refuses the credentials, `unavailable` if it can't be reached. */
  signIn(userId: string, credentials: SupportSignIn): Promise<SupportAccount>
  signOut(userId: string): Promise<SupportAccount>
}

const secretName = (userId: string) => `support-account:${userId}`

export function createCloudAccounts(
  secrets: Pick<SecretStore, "get" | "set" | "delete">,
  service: AuthService | null,
): CloudAccounts {
  async function kept(userId: string): Promise<StoredAccount | null> {
    const stored = await secrets.get(secretName(userId))
    const account = stored === null ? null : StoredAccount.parse(JSON.parse(stored))
    return account?.authUrl === service?.url ? account : null
  }

  const present = (account: StoredAccount | null): SupportAccount => ({
    authUrl: service?.url ?? null,
    signedIn: account !== null,
    email: account?.email ?? null,
    name: account?.name ?? null,
    expiresAt: account?.expiresAt ?? null,
  })

  async function obtain(auth: AuthService, credentials: SupportSignIn): Promise<StoredAccount> {
    if ("key" in credentials) {
      const { key } = credentials
      if (/^boxe?_/.test(key)) throw invalidField("key", sentence("support.key_of_box"))
      await auth.listOwnTickets(key)
      return { authUrl: auth.url, key, email: null, name: null, expiresAt: null, ownKey: false }
    }
    const { key, email, name } = await auth.createKey(credentials.email, credentials.password)
    return { authUrl: auth.url, key: key.key, email, name, expiresAt: key.expiresAt, ownKey: true }
  }

  /** Also revokes the key at the service. If the service can't be reached, the key expires within a year. */
  async function end(account: StoredAccount | null): Promise<void> {
    if (account?.ownKey !== true) return
    await service?.endKey(account.key).catch((error: unknown) => {
      if (!(error instanceof ServiceFailure)) throw error
    })
  }

  return {
    read: async (userId) => present(await kept(userId)),
    key: async (userId) => (await kept(userId))?.key ?? null,

    async signIn(userId, credentials) {
      if (!service) throw new AppError("unavailable", sentence("support.no_service"))
      const refusal = service.refusal()
      if (refusal) throw refusal
      const field = "key" in credentials ? "key" : "password"
      const account = await obtain(service, credentials).catch((error: unknown) => {
        throw explain(error, field)
      })
      const before = await kept(userId)
      await secrets.set(secretName(userId), JSON.stringify(account))
      if (before?.key !== account.key) await end(before)
      return present(account)
    },

    async signOut(userId) {
      const account = await kept(userId)
      await secrets.delete(secretName(userId))
      await end(account)
      return present(null)
    },
  }
}

function explain(error: unknown, field: "key" | "password"): unknown {
  if (!(error instanceof ServiceFailure)) return error
  const { outcome, code, sentence: said } = error
  if (outcome !== "refused") return new AppError("unavailable", sentence("support.try_later", { what: said }))
  if (code === "UNAUTHORIZED" && field === "key") {
    return invalidField("key", sentence("support.key_refused"))
  }
  if (code === "FORBIDDEN" && field === "key") {
    return invalidField("key", sentence("support.key_limited"))
  }
  if (code === "UNAUTHORIZED") return invalidField("password", said)
  if (code === "RATE_LIMITED") return new AppError("rate_limited", said)
  return new AppError("unavailable", sentence("support.check_address", { what: said }))
}
