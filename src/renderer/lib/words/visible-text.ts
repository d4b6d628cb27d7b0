/**
 * Characters that are invisible or change how the text around them looks: control, format (writing direction, zero width, tags) and line
 * separators, and blank characters that Unicode classes as letters. Line feeds and tabs are harmless.
 */
const deceptive = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u3164\uffa0\u115f\u1160]/gu
const plain = new Set(["\n", "\t"])

/** Returns untrusted text with deceptive characters written out: "⟨U+202E⟩". */
export const visibleText = (text: string): string =>
  text.replace(deceptive, (character) => {
    if (plain.has(character)) return character
    const code = character.codePointAt(0) ?? 0
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`
  })

/** Returns a value as readable JSON with deceptive characters written out. Text that isn't JSON stays text. */
export const visibleJson = (value: unknown): string =>
  visibleText(typeof value === "string" ? value : exactJson(value))

/** Returns a value as JSON, exact to the last character. */
export const exactJson = (value: unknown): string => JSON.stringify(value, null, 2) ?? "null"
