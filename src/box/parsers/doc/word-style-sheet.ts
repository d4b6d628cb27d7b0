import { modifier } from "./property-modifiers.ts"

interface Style {
  /** The number of a built-in style, such as 1 for the first level of headings. */
  builtIn: number
  basedOn: number
  /** Property modifiers of paragraphs and characters. */
  paragraph: Buffer
  character: Buffer
}

/** Codes of property modifiers (MS-DOC 2.6). */
const listUse = 0x460b
const listLevel = 0x260a
const outlineLevel = 0x2640
const hidden = 0x083c

const title = 62
const noStyle = 0xfff
const maxStyles = 4095
const maxInheritance = 10
const paragraphKind = 1
const characterKind = 2

/** Knows which styles are headings, numbered or hidden. Styles are named by their number. */
export class WordStyles {
  readonly #styles: readonly (Style | undefined)[]
  readonly #chains = new Map<number, [number, Style][]>()
  readonly #hidesText: boolean

  constructor(styles: readonly (Style | undefined)[]) {
    this.#styles = styles
    this.#hidesText = styles.some((style) => style && modifier(style.character, hidden) === 1)
  }

  /** Returns 1 to 9 for a heading, 0 for the title, undefined for anything else. */
  headingLevel(number: number): number | undefined {
    for (const [, { builtIn, paragraph }] of this.#chain(number)) {
      const level = modifier(paragraph, outlineLevel)
      if (level !== undefined) return getHeadingLevel(level)
      if (builtIn >= 1 && builtIn <= 9) return builtIn
      if (builtIn === title) return 0
    }
    // In every language, styles 1 to 9 are headings.
    return this.#styles.length === 0 && number >= 1 && number <= 9 ? number : undefined
  }

  /** Returns the list of a paragraph that has none itself, and its level if the style has one. */
  getList(
    number: number,
    getLevel: (use: number, style: number) => number | undefined,
  ): { use: number; level: number | undefined } | undefined {
    const chain = this.#chain(number)
    const use = chain
      .map(([, { paragraph }]) => modifier(paragraph, listUse))
      .find((one) => one !== undefined)
    if (use === undefined) return undefined
    for (const [style, { paragraph }] of chain) {
      const level = modifier(paragraph, listLevel) ?? getLevel(use, style)
      if (level !== undefined) return { use, level }
    }
    return { use, level: undefined }
  }

  /** Whether text of a character style in a paragraph of another style is hidden. Two styles that hide text cancel each other out. */
  isHidden(paragraphStyle: number, characterStyle: number | undefined): boolean {
    if (!this.#hidesText) return false
    return this.#hides(paragraphStyle) !== (characterStyle !== undefined && this.#hides(characterStyle))
  }

  #hides(number: number): boolean {
    const chain = this.#chain(number)
    return (
      chain.map(([, { character }]) => modifier(character, hidden)).find((one) => one !== undefined) === 1
    )
  }

  /** Returns a style with those on which it is based. */
  #chain(number: number): [number, Style][] {
    const known = this.#chains.get(number)
    if (known) return known
    const chain: [number, Style][] = []
    let at = number
    for (let style = this.#styles[at]; style && chain.length < maxInheritance; style = this.#styles[at]) {
      chain.push([at, style])
      at = style.basedOn
    }
    this.#chains.set(number, chain)
    return chain
  }
}

/** Converts a stored outline level, where 9 is body text. */
export const getHeadingLevel = (level: number | undefined): number | undefined =>
  level !== undefined && level < 9 ? level + 1 : undefined

/** Reads the style sheet (MS-DOC 2.9.271). A damaged one has no styles. */
export function readWordStyles(sheet: Buffer): WordStyles {
  if (sheet.length < 6) return new WordStyles([])
  const baseBytes = sheet.readUInt16LE(4)
  const count = Math.min(sheet.readUInt16LE(2), maxStyles)
  const styles: (Style | undefined)[] = []
  for (let at = 2 + sheet.readUInt16LE(0); styles.length < count && at + 2 <= sheet.length;) {
    const bytes = sheet.readUInt16LE(at)
    const style = sheet.subarray(at + 2, at + 2 + bytes)
    styles.push(style.length >= baseBytes + 2 && baseBytes >= 10 ? readStyle(style, baseBytes) : undefined)
    at += 2 + bytes + (bytes % 2)
  }
  return new WordStyles(styles)
}

function readStyle(style: Buffer, baseBytes: number): Style {
  const kind = style.readUInt16LE(2) & 0xf
  const base = style.readUInt16LE(2) >>> 4
  let at = baseBytes + 2 + style.readUInt16LE(baseBytes) * 2 + 2
  const next = (): Buffer => {
    if (at + 2 > style.length) return Buffer.alloc(0)
    const bytes = style.readUInt16LE(at)
    const start = at + 2
    at = start + bytes + (bytes % 2)
    return style.subarray(start, start + bytes)
  }
  // The properties of a paragraph start with the style's own number.
  const paragraph = kind === paragraphKind ? next().subarray(2) : Buffer.alloc(0)
  const character = kind === paragraphKind || kind === characterKind ? next() : Buffer.alloc(0)
  return {
    builtIn: style.readUInt16LE(0) & 0xfff,
    basedOn: base === noStyle ? -1 : base,
    paragraph,
    character,
  }
}
