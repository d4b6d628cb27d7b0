// What models, documents and servers say is anybody's: a terminal obeys some of its characters, and others turn what is read around.

const space = 0x20
/** Signs for the control characters before the space. */
const firstSign = 0x2400
/** C0 but for tab and line break, DEL, C1, what changes the direction of writing, and line breaks that aren't one everywhere. */
// oxlint-disable-next-line no-control-regex -- they are what this is about
const commanding = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** A text of several lines that does nothing but being read; what would do more is shown as a sign. */
export const plainText = (text: string): string =>
  text.replaceAll("\r", "").replaceAll(commanding, (character) => {
    const code = character.charCodeAt(0)
    return code < space ? String.fromCharCode(firstSign + code) : "\ufffd"
  })

/** The same for names and other texts of one line. */
export const plainLine = (text: string): string => plainText(text.replaceAll(/[\r\n\t]+/g, " "))

/** Whether a text would do more than being read. */
export const isPlain = (text: string): boolean => plainLine(text) === text

/** JSON that says the same to a program, and nothing to a terminal. */
export const plainJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll(
    commanding,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
