import type { FlowOutline } from "../text/flow-outline.ts"
import { attribute, type XmlAttributes, type XmlHandler } from "../xml/xml-events.ts"

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
function getLevel(outlineLevel: number): number | undefined {
  return outlineLevel >= 0 && outlineLevel < 9 ? outlineLevel + 1 : undefined
}

/** Deleted or moved text, previous properties, the fallback of a drawing, and phonetic guides. */
const unread = new Set(["del", "moveFrom", "pPrChange", "Fallback", "rt", "binData"])

interface Paragraph {
  text: string
  style: string
  level: number | undefined
  listed: boolean
}

const emptyParagraph = (): Paragraph => ({ text: "", style: "", level: undefined, listed: false })

/** Reads WordprocessingML (ECMA-376 part 1, 17): paragraphs, including those of text boxes inside others, and tables. */
export class WordOutline implements XmlHandler {
  readonly #outline: FlowOutline
  readonly #styles: WordStyles
  readonly #open: Paragraph[] = []
  #unread = 0
  #inText = 0
  #headerRow = false

  constructor(outline: FlowOutline, styles: WordStyles) {
    this.#outline = outline
    this.#styles = styles
  }

  open(name: string, attributes: XmlAttributes): void {
    if (unread.has(name)) this.#unread++
    if (this.#unread > 0) return
    if (name === "t") this.#inText++
    else if (name === "p") this.#open.push(emptyParagraph())
    else if (name === "tbl") this.#outline.startTable()
    else if (name === "tr") {
      this.#outline.startRow()
      this.#headerRow = false
    } else if (name === "tc") this.#outline.startCell()
    else if (name === "tblHeader") this.#headerRow = isOn(attribute(attributes, "val"))
    else {
      const paragraph = this.#open.at(-1)
      if (paragraph) describe(paragraph, name, attributes)
    }
  }

  text(text: string): void {
    const paragraph = this.#open.at(-1)
    if (paragraph && this.#inText > 0 && this.#unread === 0) paragraph.text += text
  }

  close(name: string): void {
    const wasUnread = this.#unread > 0
    if (unread.has(name)) this.#unread--
    if (wasUnread) return
    if (name === "t") this.#inText--
    else if (name === "p") this.#endParagraph()
    else if (name === "tr") this.#outline.endRow(this.#headerRow)
    else if (name === "tbl") this.#outline.endTable()
  }

  #endParagraph(): void {
    const paragraph = this.#open.pop()
    if (!paragraph) return
    const level = paragraph.level ?? this.#styles.headingLevel(paragraph.style)
    if (level !== undefined) this.#outline.heading(level, paragraph.text)
    else if (paragraph.text.trim() !== "") {
      this.#outline.paragraph(paragraph.listed ? `- ${paragraph.text}` : paragraph.text)
    }
  }
}

function describe(paragraph: Paragraph, name: string, attributes: XmlAttributes): void {
  const value = (): string => attribute(attributes, "val") ?? ""
  if (name === "pStyle") paragraph.style = value()
  else if (name === "outlineLvl") paragraph.level = getLevel(Number(value()))
  else if (name === "numId") paragraph.listed = value() !== "0"
  else if (name === "br" || name === "cr") paragraph.text += "\n"
  else if (name === "noBreakHyphen") paragraph.text += "-"
  else if (name === "ptab" || (name === "tab" && attribute(attributes, "pos") === undefined)) {
    paragraph.text += " "
  } else if (name === "sym") paragraph.text += symbol(attribute(attributes, "char") ?? "")
}

/** Symbol fonts store their characters in the private use area, where they are meaningless without the font. */
function symbol(hexadecimal: string): string {
  const code = Number.parseInt(hexadecimal, 16)
  return code > 0x20 && code < 0xd800 ? String.fromCharCode(code) : " "
}

function isOn(value: string | undefined): boolean {
  return value !== "0" && value !== "false" && value !== "off"
}
