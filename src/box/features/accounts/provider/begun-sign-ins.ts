import { hashSecret, isSecretOf, newSecret } from "../../../core/ids.ts"
import type { Checks } from "./provider.ts"

/** Browsers that were sent to the provider and aren't back yet. */
export interface BegunSignIns {
  /** Answers what the browser keeps, in a cookie. */
  add(checks: Checks): string
  /** The checks of a state, once, for the browser that began it; null for every other. */
  take(state: string, kept: string | undefined): Checks | null
}

export const longestSignInMs = 10 * 60_000
/** The oldest go: about 5 MB. */
const mostBegun = 10_000

export function createBegunSignIns(now: () => number = Date.now): BegunSignIns {
  const begun = new Map<string, { checks: Checks; keptHash: Buffer; at: number }>()

  return {
    add(checks) {
      for (const [state, { at }] of begun) {
        if (begun.size < mostBegun && now() - at < longestSignInMs) break
        begun.delete(state)
      }
      const kept = newSecret()
      begun.set(checks.state, { checks, keptHash: hashSecret(kept), at: now() })
      return kept
    },

    take(state, kept) {
      const one = begun.get(state)
      // Another browser doesn't use it up.
      if (!one || kept === undefined || !isSecretOf(one.keptHash, kept)) return null
      begun.delete(state)
      return now() - one.at < longestSignInMs ? one.checks : null
    },
  }
}
