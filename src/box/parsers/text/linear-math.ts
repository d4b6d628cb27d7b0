interface Node {
  name: string
  text: string
  attributes: Readonly<Record<string, string>>
  children: string[]
}

/** Nested parts beyond this length are cut. */
const maxCharacters = 10_000
const maxChildren = 1000
const maxDepth = 200

const tokens = new Set(["mi", "mn", "mo", "mtext", "ms"])
const ignored = new Set(["annotation", "annotation-xml", "mphantom"])

/** Turns an equation in MathML into a line of text, such as `x^2/sqrt(y)`. */
export class MathMl {
  readonly #open: Node[] = [createNode("math", {})]
  #tooDeep = 0

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.#open.length < maxDepth) this.#open.push(createNode(name.replace(/^\w+:/, ""), attributes))
    else this.#tooDeep++
  }

  text(text: string): void {
    const node = this.#open.at(-1)
    if (node && tokens.has(node.name) && node.text.length < maxCharacters) node.text += text
  }

  /** Returns the equation when it ends. */
  close(): string | undefined {
    if (this.#tooDeep > 0) {
      this.#tooDeep--
      return undefined
    }
    const node = this.#open.pop()
    if (!node) return ""
    const text = ignored.has(node.name) ? "" : write(node).slice(0, maxCharacters)
    const parent = this.#open.at(-1)
    if (!parent) return text
    if (!ignored.has(node.name) && parent.children.length < maxChildren) parent.children.push(text)
    return undefined
  }
}

const createNode = (name: string, attributes: Node["attributes"]): Node => ({
  name,
  text: "",
  attributes,
  children: [],
})

const writers: Record<string, (parts: string[], attributes: Node["attributes"]) => string> = {
  mfrac: ([over = "", under = ""]) => `${groupMath(over)}/${groupMath(under)}`,
  msup: ([base = "", sup = ""]) => `${groupMath(base)}^${groupMath(sup)}`,
  msub: ([base = "", sub = ""]) => `${groupMath(base)}_${groupMath(sub)}`,
  msubsup: ([base = "", sub = "", sup = ""]) => `${groupMath(base)}_${groupMath(sub)}^${groupMath(sup)}`,
  munder: ([base = "", under = ""]) => `${base}_${groupMath(under)} `,
  mover: ([base = "", over = ""]) => (over.length === 1 ? base + over : `${base}^${groupMath(over)} `),
  munderover: ([base = "", under = "", over = ""]) => `${base}_${groupMath(under)}^${groupMath(over)} `,
  msqrt: (parts) => `sqrt(${parts.join("")})`,
  mroot: ([base = "", degree = ""]) => `root(${degree}, ${base})`,
  mfenced: (parts, { open = "(", close = ")", separators = "," }) =>
    `${open}${parts.join(`${separators.trim().slice(0, 1)} `)}${close}`,
  mtable: (parts) => parts.join("; "),
  mtr: (parts) => parts.join(", "),
  semantics: ([first = ""]) => first,
}

function write({ name, text, children, attributes }: Node): string {
  if (tokens.has(name)) return text.trim()
  return Object.hasOwn(writers, name) ? (writers[name]?.(children, attributes) ?? "") : children.join("")
}

/** Appends raised text. Digits after a number get a `^`, so that 10³ isn't 103, and a footnote's mark isn't part of a number. */
export function joinRaised(before: string, raised: string): string {
  return /[\d)\]]$/.test(before) && /^[-+−–\d]/.test(raised) ? `${before}^${raised}` : before + raised
}

/** Where characters are in relation to their line; undefined: on it. */
export type Shift = "raised" | "lowered" | undefined

const mixedFraction = /(\d)\^(\d{1,9})([/⁄])$/
const mixedFractionLength = 20

/** Appends text that may be raised or lowered. Two and a half, written as 2¹/₂ with shifted digits, isn't 2^1/2. */
export function joinShifted(before: string, text: string, shift: Shift): string {
  if (shift === "raised") return joinRaised(before, text)
  if (shift === undefined || !/^\d/.test(text)) return before + text
  const end = before.slice(-mixedFractionLength)
  return before.slice(0, before.length - end.length) + end.replace(mixedFraction, "$1 $2$3") + text
}

const suspectedFraction = /[\u00bc-\u00be\u2044\u2080-\u2089\u2150-\u215f\u2189]/
const smallFraction = /([\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{1,9})[/\u2044]([\u2080-\u2089]{1,9})/g

/**
 * Writes fractions in small digits in plain ones, and sets fractions apart from a number before them: `2½` would be found as 21/2. A text
 * that would become longer than `limit` stays as it is.
 */
export function separateFractions(text: string, limit: number): string {
  if (!suspectedFraction.test(text)) return text
  const separate = text
    .replace(smallFraction, (_, over: string, under: string, at: number) => {
      const isMixed = /\d/.test(text.charAt(at - 1))
      return `${isMixed ? " " : ""}${over.normalize("NFKC")}/${under.normalize("NFKC")}`
    })
    .replace(/(?<=\d)(?=[\u00bc-\u00be\u2150-\u215f\u2189])/g, " ")
  return separate.length > limit ? text : separate
}

/** Appends an equation, so that two and a half isn't 21/2. */
export function joinMath(before: string, math: string): string {
  return /\d$/.test(before) && /^\d+\//.test(math) ? `${before} ${math}` : before + math
}

/** Puts brackets around everything but a single name or number. */
export function groupMath(text: string): string {
  return /^[\p{L}\p{N}\p{M}.,∞]*$/u.test(text) || isBracketed(text) ? text : `(${text})`
}

function isBracketed(text: string): boolean {
  if (!text.startsWith("(") || !text.endsWith(")")) return false
  let depth = 0
  for (let index = 0; index < text.length; index++) {
    if (text[index] === "(") depth++
    else if (text[index] === ")" && --depth === 0 && index < text.length - 1) return false
  }
  return depth === 0
}
