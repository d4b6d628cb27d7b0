import { sessionSecretHeader } from "../../../shared/contract/session.ts"

/** Storage is by origin, port included; a cookie is shared by all ports of a computer. */
const storageKey = "session-secret"

/** What makes the session's cookie count; null when nobody is signed in. */
export const sessionSecret = (): string | null => localStorage.getItem(storageKey)

/** Sent with every request of the page. */
export function sessionHeaders(): Record<string, string> {
  const secret = sessionSecret()
  return secret === null ? {} : { [sessionSecretHeader]: secret }
}

export const keepSessionSecret = (secret: string): void => localStorage.setItem(storageKey, secret)

export const forgetSessionSecret = (): void => localStorage.removeItem(storageKey)

/** Signing in or out in another tab is meant for this one too: nothing that it shows stays. */
export function followSessionSecret(): void {
  window.addEventListener("storage", ({ key }) => {
    if (key === storageKey || key === null) window.location.reload()
  })
}
