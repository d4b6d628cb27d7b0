import { randomBytes } from "node:crypto"
import type { SignIn } from "../../tools/mcp/oauth-session.ts"

/** A sign-in, and for whom. */
export interface PendingSignIn extends SignIn {
  userId: string
  key: string
  expiresAt: number
}

const tenMinutes = 600_000
const mostPending = 50

/** Sign-ins that users are at, by the `state` that the provider hands back. Each is used once. */
export function createSignIns() {
  const pending = new Map<string, PendingSignIn>()
  const forget = (unwanted: (signIn: PendingSignIn) => boolean) => {
    for (const [state, signIn] of pending) if (unwanted(signIn)) pending.delete(state)
  }

  return {
    /** Begins one; an earlier one for the same server counts no more. */
    begin(userId: string, key: string): PendingSignIn {
      forget((other) => other.expiresAt <= Date.now() || (other.userId === userId && other.key === key))
      const [oldest] = pending.keys()
      if (pending.size >= mostPending && oldest !== undefined) pending.delete(oldest)
      const state = randomBytes(32).toString("base64url")
      const signIn = {
        state,
        userId,
        key,
        verifier: null,
        authorizationUrl: null,
        expiresAt: Date.now() + tenMinutes,
      }
      pending.set(state, signIn)
      return signIn
    },

    /** The sign-in of a state, which is then used up; null when there is none, or no more. */
    take(state: string): PendingSignIn | null {
      const signIn = pending.get(state) ?? null
      pending.delete(state)
      return signIn && signIn.expiresAt > Date.now() ? signIn : null
    },

    forget: (userId: string, key: string) =>
      forget((signIn) => signIn.userId === userId && signIn.key === key),
  }
}
