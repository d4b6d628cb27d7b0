// Text from models, documents and servers is untrusted. A terminal executes some characters as commands, and others change the direction of
// reading.

const space = 0x20
/** Symbols for the control characters below the space. */
const firstSign = 0x2400
/** C0 except tab and line feed, DEL, C1, bidirectional controls, and line breaks that aren't universal. */
// oxlint-disable-next-line no-control-regex -- they are what this is about
const commanding = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Returns multi-line text in which characters that a terminal would act on are replaced by symbols. */
export const plainText = (text: string): string =>
  text.replaceAll("\r", "").replaceAll(commanding, (character) => {
    const code = character.charCodeAt(0)
    return code < space ? String.fromCharCode(firstSign + code) : "\ufffd"
  })

/** Does the same for names and other single-line text. */
export const plainLine = (text: string): string => plainText(text.replaceAll(/[\r\n\t]+/g, " "))

/** Whether the text is a single line without characters that a terminal would act on. */
export const isPlain = (text: string): boolean => plainLine(text) === text

/** Returns JSON with the same meaning for programs and without characters that a terminal would act on. */
export const plainJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll(
    commanding,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
