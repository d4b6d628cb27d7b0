import { groupMath } from "./linear-math.ts"

const maxDepth = 20
const takesBracket = new Set(["lc", "rc", "bc", "fc", "vc"])

/** A switch of an EQ field: `\s\up8(2)` is `s` with the option `up` and one argument. */
interface EquationPart {
  name: string
  /** The options, each with the bracket that it sets, if it sets one. */
  options: ReadonlyMap<string, string>
  parts: string[]
}

const writers: Record<string, (part: EquationPart) => string> = {
  a: ({ parts }) => parts.join("; "),
  b: ({ options, parts }) => {
    const both = options.get("bc") ?? "("
    const left = options.get("lc") ?? (options.has("rc") ? "" : both)
    const right = options.get("rc") ?? (options.has("lc") ? "" : (closing[both] ?? both))
    return left + parts.join("") + right
  },
  d: () => " ",
  f: ({ parts: [over = "", under = ""] }) => `${groupMath(over)}/${groupMath(under)}`,
  i: ({ options, parts: [lower = "", upper = "", body = ""] }) => {
    const symbol = options.has("su") ? "∑" : options.has("pr") ? "∏" : "∫"
    return `${symbol}${lower && `_${groupMath(lower)}`}${upper && `^${groupMath(upper)}`} ${body}`
  },
  l: ({ parts }) => parts.join(", "),
  o: ({ parts }) => {
    // A phonetic guide is written over the text that it belongs to.
    const [above = "", base = ""] = parts
    const guide = parts.length === 2 ? /^\^\(?(.+?)\)?$/s.exec(above)?.[1] : undefined
    return guide === undefined ? parts.join("") : `${base}(${guide})`
  },
  r: ({ parts: [first = "", second] }) =>
    second === undefined ? `sqrt(${first})` : `root(${first}, ${second})`,
  s: ({ options, parts }) => parts.map((part) => (options.has("do") ? "_" : "^") + groupMath(part)).join(""),
  x: ({ parts }) => parts.join(""),
}

const closing: Record<string, string> = { "(": ")", "[": "]", "{": "}", "<": ">" }

/**
 * Returns the equation, phonetic guide or combined characters of an EQ field (ECMA-376 part 1, 17.16.5.15) as a line of text, such as
 * `1/2` for `EQ \f(1,2)`; undefined for another field. Word computes what such a field shows, so documents don't contain it.
 */
export function getFieldEquation(instruction: string): string | undefined {
  const [, source] = /^\s*EQ\s+(.*)$/is.exec(instruction) ?? []
  return source === undefined ? undefined : readParts(source, 0).trim()
}

function readParts(source: string, depth: number): string {
  if (depth > maxDepth) return ""
  let text = ""
  let at = 0
  while (at < source.length) {
    const character = source[at] ?? ""
    const next = source[at + 1] ?? ""
    if (character !== "\\") {
      text += character
      at++
    } else if (next === "*") {
      // Formats of the field, which don't change its text: `\* jc2 \* "Font:MS Mincho"`.
      at += /^\\\*\s*(?:"[^"]*"|[^\s\\]*)\s*/.exec(source.slice(at))?.[0].length ?? 2
    } else if (/[a-z]/i.test(next)) {
      const { part, end } = readPart(source, at + 1, depth)
      text += writers[part.name]?.(part) ?? part.parts.join("")
      at = end
    } else {
      text += next
      at += 2
    }
  }
  return text
}

/** @param at the position of the name */
function readPart(source: string, at: number, depth: number): { part: EquationPart; end: number } {
  const name = (source[at] ?? "").toLowerCase()
  const options = new Map<string, string>()
  let end = at + 1
  for (;;) {
    const [found, option = ""] = /^\s*\\([a-z]{2})\s*\d*/i.exec(source.slice(end, end + 20)) ?? []
    if (found === undefined) break
    end += found.length
    const takes = takesBracket.has(option.toLowerCase())
    options.set(option.toLowerCase(), takes ? (source[end + 1] ?? "") : "")
    if (takes) end += 2
  }
  const start = /^\s*\(/.exec(source.slice(end))?.[0].length
  if (start === undefined) return { part: { name, options, parts: [] }, end }
  const { pieces, length } = splitArguments(source.slice(end + start))
  const parts = pieces.map((piece) => readParts(piece, depth + 1).trim())
  return { part: { name, options, parts }, end: end + start + length }
}

/** Splits at semicolons if there are any, because a comma is then part of a number. */
function splitArguments(source: string): { pieces: string[]; length: number } {
  const separators: { at: number; character: string }[] = []
  let open = 1
  let at = 0
  for (; at < source.length && open > 0; at++) {
    const character = source[at] ?? ""
    if (character === "\\" && /[\\,;()]/.test(source[at + 1] ?? "")) at++
    else if (character === "(") open++
    else if (character === ")") open--
    else if (open === 1 && (character === "," || character === ";")) separators.push({ at, character })
  }
  const inside = source.slice(0, open === 0 ? at - 1 : at)
  const separator = separators.some(({ character }) => character === ";") ? ";" : ","
  const cuts = separators.filter(({ character }) => character === separator).map((cut) => cut.at)
  const starts = [0, ...cuts.map((cut) => cut + 1)]
  return { pieces: starts.map((start, index) => inside.slice(start, cuts[index])), length: at }
}
