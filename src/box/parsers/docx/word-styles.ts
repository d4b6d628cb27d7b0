import { attribute, type XmlAttributes, type XmlHandler } from "../xml/xml-events.ts"
import type { WordNumbering } from "./word-numbering.ts"

interface Style {
  name: string
  basedOn: string | undefined
  outlineLevel: number | undefined
  numbering: string | undefined
  numberingLevel: number | undefined
  hidden: boolean | undefined
}

const maxInheritance = 10
/** `ilfo` is the name of Word 2003. */
export const numberingNames = new Set(["numId", "ilfo"])

const createStyle = (): Style => ({
  name: "",
  basedOn: undefined,
  outlineLevel: undefined,
  numbering: undefined,
  numberingLevel: undefined,
  hidden: undefined,
})

/** Reads a document's styles and knows which of them are headings, numbered or hidden. */
export class WordStyles implements XmlHandler {
  readonly #styles = new Map<string, Style>()
  #current: Style | undefined
  #default = ""
  #conditional = 0
  #hidesText = false

  open(name: string, attributes: XmlAttributes): void {
    if (name === "style") {
      const id = attribute(attributes, "styleId") ?? ""
      this.#current = createStyle()
      this.#styles.set(id, this.#current)
      const isDefault = /^(1|true|on)$/.test(attribute(attributes, "default") ?? "")
      if (isDefault && attribute(attributes, "type") === "paragraph") this.#default = id
      return
    }
    if (!this.#current) return
    if (name === "tblStylePr") this.#conditional++
    if (this.#conditional > 0) return
    const value = attribute(attributes, "val")
    if (name === "name") this.#current.name = value ?? ""
    else if (name === "basedOn") this.#current.basedOn = value
    else if (name === "outlineLvl") this.#current.outlineLevel = Number(value)
    else if (numberingNames.has(name)) this.#current.numbering = value
    else if (name === "ilvl") this.#current.numberingLevel = Number(value)
    else if (name === "vanish") {
      this.#current.hidden = isOn(value)
      this.#hidesText ||= this.#current.hidden
    }
  }

  close(name: string): void {
    if (name === "tblStylePr") this.#conditional--
    else if (name === "style") {
      this.#current = undefined
      this.#conditional = 0
    }
  }

  /** Whether text of a character style in a paragraph of another style is hidden. Two styles that hide text cancel each other out. */
  isHidden(paragraphStyle: string, characterStyle: string): boolean {
    return this.#hidesText && this.#hides(paragraphStyle || this.#default) !== this.#hides(characterStyle)
  }

  #hides(styleId: string): boolean {
    return this.#chain(styleId).find(([, { hidden }]) => hidden !== undefined)?.[1].hidden ?? false
  }

  /** Returns the numbering of a paragraph that has none itself, and its level. */
  getNumbering(styleId: string, numbering: WordNumbering): { id: string; level: number } | undefined {
    const chain = this.#chain(styleId || this.#default)
    const id = chain.find(([, style]) => style.numbering !== undefined)?.[1].numbering
    if (id === undefined) return undefined
    for (const [style, { numberingLevel }] of chain) {
      const level = numberingLevel ?? numbering.getLevel(id, style)
      if (level !== undefined) return { id, level }
    }
    return { id, level: 0 }
  }

  /** Returns a style with those on which it is based. */
  #chain(styleId: string): [string, Style][] {
    const chain: [string, Style][] = []
    let id: string | undefined = styleId
    while (id !== undefined && chain.length < maxInheritance) {
      const style = this.#styles.get(id)
      if (!style) break
      chain.push([id, style])
      id = style.basedOn
    }
    return chain
  }

  /** Returns 1 to 9 for a heading, 0 for the title, undefined for anything else. */
  headingLevel(styleId: string): number | undefined {
    let id: string | undefined = styleId
    for (let step = 0; id !== undefined && step < maxInheritance; step++) {
      const style = this.#styles.get(id)
      if (style?.outlineLevel !== undefined) return getLevel(style.outlineLevel)
      const named = /^heading\s*([1-9])$/i.exec(style?.name ?? id)?.[1]
      if (named) return Number(named)
      if (/^title$/i.test(style?.name ?? id)) return 0
      id = style?.basedOn
    }
    return undefined
  }
}

/** Converts a stored outline level, where 9 is body text. */
export function getLevel(outlineLevel: number): number | undefined {
  return outlineLevel >= 0 && outlineLevel < 9 ? outlineLevel + 1 : undefined
}

export function isOn(value: string | undefined): boolean {
  return value !== "0" && value !== "false" && value !== "off"
}
