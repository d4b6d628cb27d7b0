/** Measures how fast the tokens of one answer come. */
export interface TokenClock {
  /** Tells that tokens have just arrived. */
  tick(tokens: number): void
  /** Rate after the first token, whose time is the prompt's; null with fewer than two tokens. */
  tokensPerSecond(): number | null
}

/** Calls `onToken` with the time that each token after the first has taken. */
export function createTokenClock(onToken: (milliseconds: number) => void): TokenClock {
  let first: number | null = null
  let last = 0
  let afterFirst = 0
  return {
    tick(tokens) {
      if (tokens === 0) return
      const now = performance.now()
      if (first === null) first = now
      else {
        afterFirst += tokens
        onToken((now - last) / tokens)
      }
      last = now
    },
    tokensPerSecond: () =>
      first === null || afterFirst === 0 || last <= first ? null : (afterFirst * 1000) / (last - first),
  }
}
