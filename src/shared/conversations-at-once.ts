const most = 4

/** Conversations that a model answers at once which has room for so many tokens, and gives each so many of them. */
export const conversationsAtOnce = (together: number, each: number): number =>
  [most, 2].find((count) => together / count >= each) ?? 1
