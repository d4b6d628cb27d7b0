import { hashSecret, isSecretOf, newSecret } from "../../../core/ids.ts"
import type { Checks } from "./provider.ts"

/** Sign-ins of browsers that were sent to the provider and haven't returned yet. */
export interface PendingSignIns {
  /** Returns a secret that the browser keeps in a cookie. */
  add(checks: Checks): string
  /** Returns the checks of a state once, to the browser that started the sign-in; null for any other browser. */
  take(state: string, kept: string | undefined): Checks | null
}

export const signInTimeoutMs = 10 * 60_000
/** Maximum number of pending sign-ins, about 5 MB. The oldest are dropped. */
const maxStarted = 10_000

export function createPendingSignIns(now: () => number = Date.now): PendingSignIns {
  const pendingSignIns = new Map<string, { checks: Checks; secretHash: Buffer; at: number }>()

  return {
    add(checks) {
      for (const [state, { at }] of pendingSignIns) {
        if (pendingSignIns.size < maxStarted && now() - at < signInTimeoutMs) break
        pendingSignIns.delete(state)
      }
      const kept = newSecret()
      pendingSignIns.set(checks.state, { checks, secretHash: hashSecret(kept), at: now() })
      return kept
    },

    take(state, kept) {
      const one = pendingSignIns.get(state)
      // A request from another browser doesn't use up the state.
      if (!one || kept === undefined || !isSecretOf(one.secretHash, kept)) return null
      pendingSignIns.delete(state)
      return now() - one.at < signInTimeoutMs ? one.checks : null
    },
  }
}
