/**
 * Characters that can't be seen or change how the text around them looks: control, format (writing direction, no width,
 * tags) and separators of lines, and blank ones that count as letters. Line feeds and tabs are what they seem to be.
 */
const deceptive = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u3164\uffa0\u115f\u1160]/gu
const plain = new Set(["\n", "\t"])

/** Text of strangers as it is, with what could deceive written out: "⟨U+202E⟩". */
export const visibleText = (text: string): string =>
  text.replace(deceptive, (character) => {
    if (plain.has(character)) return character
    const code = character.codePointAt(0) ?? 0
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`
  })

/** A value as JSON for reading, with what could deceive written out. Text that isn't JSON stays text. */
export const visibleJson = (value: unknown): string =>
  visibleText(typeof value === "string" ? value : exactJson(value))

/** A value as JSON, to the last character. */
export const exactJson = (value: unknown): string => JSON.stringify(value, null, 2) ?? "null"
