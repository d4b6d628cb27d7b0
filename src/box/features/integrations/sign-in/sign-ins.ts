import { randomBytes } from "node:crypto"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { SignIn } from "../../../tools/mcp/oauth-session.ts"

/** What a provider sent the browser back with (RFC 6749 4.1.2, RFC 9207). */
export interface Answer {
  code?: string | undefined
  iss?: string | undefined
}

/** Who began a sign-in, by exactly which session or key, and where: only there it is ended. */
export interface Beginner {
  userId: string
  credentialId: string
  /** Where the page was opened that asks in the end. */
  origin: string
  /** The desktop app's window: its user signs in in a browser that has no session. */
  inApp: boolean
}

/** A sign-in, and for whom. */
export interface PendingSignIn extends SignIn, Beginner {
  key: string
  /** By `performance.now()`. */
  expiresAt: number
  /** What a browser without a session handed to the app. */
  answer: Answer | null
}

const tenMinutes = 600_000
const mostPending = 50

/** Sign-ins that users are at, by the `state` that the provider hands back. Each is used once. */
export function createSignIns() {
  const pending = new Map<string, PendingSignIn>()
  const forget = (unwanted: (signIn: PendingSignIn) => boolean) => {
    for (const [state, signIn] of pending) if (unwanted(signIn)) pending.delete(state)
  }
  const find = (state: string): PendingSignIn | null => {
    const signIn = pending.get(state) ?? null
    return signIn && signIn.expiresAt > performance.now() ? signIn : null
  }

  return {
    /** Begins one; an earlier one for the same server counts no more. */
    begin(beginner: Beginner, key: string): PendingSignIn {
      const { userId } = beginner
      forget(
        (other) => other.expiresAt <= performance.now() || (other.userId === userId && other.key === key),
      )
      const [oldest] = pending.keys()
      if (pending.size >= mostPending && oldest !== undefined) pending.delete(oldest)
      const state = randomBytes(32).toString("base64url")
      const signIn: PendingSignIn = {
        ...beginner,
        state,
        key,
        verifier: null,
        authorizationUrl: null,
        expiresAt: performance.now() + tenMinutes,
        answer: null,
      }
      pending.set(state, signIn)
      return signIn
    },

    /** The sign-in of a state. Throws `not_found` when there is none, or no more. */
    require(state: string): PendingSignIn {
      const signIn = find(state)
      if (signIn) return signIn
      throw new AppError("not_found", sentence("integrations.sign_in_expired"))
    },

    /** The sign-in of a state, which is then used up; null when there is none, or no more. */
    take(state: string): PendingSignIn | null {
      const signIn = find(state)
      pending.delete(state)
      return signIn
    },

    forget: (userId: string, key: string) =>
      forget((signIn) => signIn.userId === userId && signIn.key === key),
  }
}

export const notLetIn = () => new AppError("conflict", sentence("integrations.not_let_in"))
