/** Minimum share of a passage that must appear in another, without interruption, for it to add nothing. */
const repeatedShare = 0.95
const anchorLength = 48

/**
 * Only the letters and numbers of a text. They stay the same when a document is saved in another format, wrapped, hyphenated or punctuated
 * differently.
 */
export function getWording(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/(?<=\p{N})[.,](?=\p{N})/gu, "_")
    .replace(/[^\p{L}\p{N}\p{M}_]+/gu, "")
}

/**
 * Whether a wording adds nothing to another one, except at its edges. A change inside it, such as another amount or a "not", always makes a
 * difference: similar paragraphs of two contracts aren't the same.
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
