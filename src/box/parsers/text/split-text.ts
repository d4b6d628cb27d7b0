/**
 * Returns where to split a text so that its first part has at most `limit` characters: after a paragraph, line, sentence or word that ends
 * in the second half of that part, and never inside a surrogate pair.
 */
export function cutPoint(text: string, limit: number): number {
  if (text.length <= limit) return text.length
  for (const end of ["\n\n", "\n", ". ", "。", " "]) {
    const at = text.lastIndexOf(end, limit - end.length)
    if (at >= limit / 2) return at + end.length
  }
  const code = text.charCodeAt(limit - 1)
  return code >= 0xd800 && code <= 0xdbff ? limit - 1 : limit
}

/** Splits a text into parts of at most `limit` characters each, without losing any of it. */
export function splitText(text: string, limit: number): string[] {
  const parts: string[] = []
  let rest = text
  while (rest.length > limit) {
    const cut = cutPoint(rest, limit)
    parts.push(rest.slice(0, cut))
    rest = rest.slice(cut)
  }
  if (rest !== "") parts.push(rest)
  return parts
}
