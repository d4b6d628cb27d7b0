/**
 * PostgreSQL's text holds any character but U+0000. Where one is, two others are stored that stand for it, of which the first is no
 * character that texts have.
 */
const escape = "\uFFFE"
const toEscape = /[\0\uFFFE]/g
const escaped = /\uFFFE([01])/g

export const toStored = (text: string): string =>
  text.replace(toEscape, (character) => (character === "\0" ? `${escape}0` : `${escape}1`))

export const fromStored = (text: string): string =>
  text.includes(escape)
    ? text.replace(escaped, (_all, which: string) => (which === "0" ? "\0" : escape))
    : text
