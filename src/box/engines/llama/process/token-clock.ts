/** Measures how fast the tokens of one answer arrive. */
export interface TokenClock {
  /** Reports that tokens have just arrived. */
  tick(tokens: number): void
  /** Tokens per second after the first token, whose time is spent on the prompt; null with fewer than two tokens. */
  tokensPerSecond(): number | null
}

/** Calls `onToken` with the duration of each token after the first. */
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
