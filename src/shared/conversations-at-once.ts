const max = 4

/** Number of chats that a model can answer at the same time if it has room for `together` tokens and gives each chat `each` of them. */
export const conversationsAtOnce = (together: number, each: number): number =>
  [max, 2].find((count) => together / count >= each) ?? 1
