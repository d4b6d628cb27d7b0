import { randomBytes } from "node:crypto"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { SignIn } from "../../../tools/mcp/oauth-session.ts"

/** The answer with which a provider sent the browser back (RFC 6749 4.1.2, RFC 9207). */
export interface Answer {
  code?: string | undefined
  iss?: string | undefined
}

/** The session or key that started a sign-in. Only it can finish the sign-in. */
export interface SignInInitiator {
  userId: string
  credentialId: string
  /** Origin of the page that asks for confirmation at the end. */
  origin: string
  /** Whether the desktop app's window started it: its user signs in through a browser without a session. */
  inApp: boolean
}

/** A sign-in in progress and the user it is for. */
export interface PendingSignIn extends SignIn, SignInInitiator {
  key: string
  /** In the time of `performance.now()`. */
  expiresAt: number
  /** The answer that a browser without a session handed to the app. */
  answer: Answer | null
}

const tenMinutes = 600_000
const maxPending = 50

/** Sign-ins in progress, by the `state` that the provider sends back. Each can be used once. */
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
    /** Starts a sign-in and cancels an earlier one for the same server. */
    begin(initiator: SignInInitiator, key: string): PendingSignIn {
      const { userId } = initiator
      forget(
        (other) => other.expiresAt <= performance.now() || (other.userId === userId && other.key === key),
      )
      const [oldest] = pending.keys()
      if (pending.size >= maxPending && oldest !== undefined) pending.delete(oldest)
      const state = randomBytes(32).toString("base64url")
      const signIn: PendingSignIn = {
        ...initiator,
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

    /** The sign-in with this state. Throws `not_found` if there is none, or it has expired. */
    require(state: string): PendingSignIn {
      const signIn = find(state)
      if (signIn) return signIn
      throw new AppError("not_found", sentence("integrations.sign_in_expired"))
    },

    /** Removes and returns the sign-in with this state; null if there is none, or it has expired. */
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
