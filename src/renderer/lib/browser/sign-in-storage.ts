import { sessionSecretHeader } from "../../../shared/contract/session.ts"

/** Storage is separate for each origin, including its port. A cookie is shared by all ports of a computer. */
const storageKey = "session-secret"

/** The secret without which the session cookie isn't accepted; null if no one is signed in. */
export const sessionSecret = (): string | null => localStorage.getItem(storageKey)

/** Headers for every request of the page. */
export function sessionHeaders(): Record<string, string> {
  const secret = sessionSecret()
  return secret === null ? {} : { [sessionSecretHeader]: secret }
}

export const storeSessionSecret = (secret: string): void => localStorage.setItem(storageKey, secret)

export const forgetSessionSecret = (): void => localStorage.removeItem(storageKey)

/** Signing in or out in another tab reloads this one, so that nothing of the previous session stays visible. */
export function followSessionSecret(): void {
  window.addEventListener("storage", ({ key }) => {
    if (key === storageKey || key === null) window.location.reload()
  })
}

/** Remembers that a provider signed the user in. When the session ends, the page tries the provider first. */
const key = "signed-in-by-provider"

export const storeSignedInByProvider = (): void => localStorage.setItem(key, "1")

export const forgetSignedInByProvider = (): void => localStorage.removeItem(key)

export const isSignedInByProvider = (): boolean => localStorage.getItem(key) !== null
