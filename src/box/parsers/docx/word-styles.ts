import { attribute } from "../xml/xml-events.ts"
import type { XmlAttributes, XmlHandler } from "../xml/xml-events.ts"

interface Style {
  name: string
  basedOn: string | undefined
  outlineLevel: number | undefined
}

const maxInheritance = 10

/** Reads a document's styles and knows which of them are headings. */
export class WordStyles implements XmlHandler {
  readonly #styles = new Map<string, Style>()
  #current: Style | undefined

  open(name: string, attributes: XmlAttributes): void {
    if (name === "style") {
      this.#current = { name: "", basedOn: undefined, outlineLevel: undefined }
      this.#styles.set(attribute(attributes, "styleId") ?? "", this.#current)
      return
    }
    if (!this.#current) return
    const value = attribute(attributes, "val")
    if (name === "name") this.#current.name = value ?? ""
    else if (name === "basedOn") this.#current.basedOn = value
    else if (name === "outlineLvl") this.#current.outlineLevel = Number(value)
  }

  close(name: string): void {
    if (name === "style") this.#current = undefined
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
