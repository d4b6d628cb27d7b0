/** A piece of a message as it reads, without the signs of Markdown that a search hit would show raw. */
export const plainSnippet = (text: string): string =>
  text.replaceAll(/\*\*|`+/g, "").replaceAll(/^\s{0,3}(?:#{1,6}|>)\s+/gm, "")
