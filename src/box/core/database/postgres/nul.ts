/** PostgreSQL's text can't contain U+0000. Each one is stored as a pair of characters, of which the first isn't used in texts. */
const escape = "\uFFFE"
const toEscape = /[\0\uFFFE]/g
const escaped = /\uFFFE([01])/g

export const toStored = (text: string): string =>
  text.replace(toEscape, (character) => (character === "\0" ? `${escape}0` : `${escape}1`))

export const fromStored = (text: string): string =>
  text.includes(escape)
    ? text.replace(escaped, (_all, which: string) => (which === "0" ? "\0" : escape))
    : text
