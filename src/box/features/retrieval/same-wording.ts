/** Share of a passage that must stand in another, in one run, for it to add nothing. */
const repeatedShare = 0.95
const anchorLength = 48

/**
 * Letters and numbers of a text alone: what stays the same when a document is saved in another format, wrapped,
 * hyphenated or punctuated differently.
 */
export function wordingOf(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/(?<=\p{N})[.,](?=\p{N})/gu, "_")
    .replace(/[^\p{L}\p{N}\p{M}_]+/gu, "")
}

/**
 * Whether a wording adds nothing to another one, but for its edges. A change in its midst, such as another amount or a
 * "not", always counts: the same paragraph of two contracts isn't the same paragraph.
 */
export function repeats(wording: string, known: string): boolean {
  if (wording === known) return true
  const needed = Math.ceil(wording.length * repeatedShare)
  if (wording.length < anchorLength || known.length < needed) return false
  const middle = Math.floor((wording.length - anchorLength) / 2)
  const anchor = wording.slice(middle, middle + anchorLength)
  for (let at = known.indexOf(anchor); at >= 0; at = known.indexOf(anchor, at + 1)) {
    let before = 0
    while (before < middle && before < at && wording[middle - 1 - before] === known[at - 1 - before]) before++
    let end = anchorLength
    while (
      middle + end < wording.length &&
      at + end < known.length &&
      wording[middle + end] === known[at + end]
    ) {
      end++
    }
    if (before + end >= needed) return true
  }
  return false
}
