/** Pairs of words for yes and no. A column uses the words of one pair. */
const truths = new Map<string, boolean>(
  ["true", "yes", "ja", "sì", "si", "vero", "wahr", "y", "j"]
    .map((word): [string, boolean] => [word, true])
    .concat(["false", "no", "nein", "falso", "falsch", "n"].map((word): [string, boolean] => [word, false])),
)

export const parseBoolean = (text: string): boolean | undefined =>
  text.length <= 6 ? truths.get(text.toLowerCase()) : undefined

/** Whether the text is a placeholder that people write in empty cells. */
export const isPlaceholder = (text: string): boolean =>
  /^(?:[-–—/?]+|n\/?a|n\.a\.|k\.\s?a\.|n\/d|n\.d\.|null|nan|none|#(?:N\/A|NV|N\/D|REF!|WERT!|VALUE!|DIV\/0!|NAME\?))$/i.test(
    text,
  )
