import type { FlowOutline } from "../text/flow-outline.ts"
import { attribute } from "../xml/xml-events.ts"
import type { XmlAttributes, XmlHandler } from "../xml/xml-events.ts"

/** Deleted text, note numbers, authors and dates of comments, and images as text. */
const unread = new Set(["tracked-changes", "note-citation", "creator", "date", "binary-data", "forms"])
const maxSpaces = 100
const maxObjects = 1000

interface Paragraph {
  text: string
  /** Level of a heading. */
  level: number | undefined
}

/** Reads texts and presentations in OpenDocument (ODF 1.3 part 3, 5 and 10): paragraphs, including nested ones, and tables. */
export class OpenOutline implements XmlHandler {
  /** Embedded documents, such as charts, by their folder in the package. */
  readonly objects: string[] = []
  readonly #outline: FlowOutline
  readonly #open: Paragraph[] = []
  #unread = 0
  #listDepth = 0
  #itemBegins = false
  #headerRows = 0
  #slide = 0
  #isTitle = false

  constructor(outline: FlowOutline) {
    this.#outline = outline
  }

  open(name: string, attributes: XmlAttributes): void {
    if (unread.has(name)) this.#unread++
    if (this.#unread > 0) return
    const paragraph = this.#open.at(-1)
    if (name === "p") this.#open.push({ text: "", level: undefined })
    else if (name === "h") this.#open.push({ text: "", level: getLevel(attributes) })
    else if (name === "s") this.#add(paragraph, " ".repeat(spaces(attributes)))
    else if (name === "tab") this.#add(paragraph, " ")
    else if (name === "title" || name === "desc") this.#add(paragraph, " ")
    else if (name === "line-break") this.#add(paragraph, "\n")
    else if (name === "list") this.#listDepth++
    else if (name === "list-item") this.#itemBegins = true
    else if (name === "table") this.#outline.startTable()
    else if (name === "table-header-rows") this.#headerRows++
    else if (name === "table-row") this.#outline.startRow()
    else if (name === "table-cell" || name === "covered-table-cell") this.#outline.startCell()
    else if (name === "page") this.#outline.moveTo({ slide: ++this.#slide })
    else if (name === "notes" && this.#slide > 0) this.#outline.section("Notes")
    else if (name === "frame") this.#isTitle = attribute(attributes, "class") === "title"
    else if (name === "object") this.#addObject(attribute(attributes, "href"))
  }

  text(text: string): void {
    if (this.#unread === 0) this.#add(this.#open.at(-1), text.replace(/\s+/g, " "))
  }

  close(name: string): void {
    const wasUnread = this.#unread > 0
    if (unread.has(name)) this.#unread--
    if (wasUnread) return
    if (name === "p" || name === "h") this.#endParagraph()
    else if (name === "title" || name === "desc") this.#add(this.#open.at(-1), " ")
    else if (name === "list") this.#listDepth--
    else if (name === "table") this.#outline.endTable()
    else if (name === "table-header-rows") this.#headerRows--
    else if (name === "table-row") this.#outline.endRow(this.#headerRows > 0)
    else if (name === "frame") this.#isTitle = false
  }

  #add(paragraph: Paragraph | undefined, text: string): void {
    if (paragraph) paragraph.text += text
  }

  #endParagraph(): void {
    const paragraph = this.#open.pop()
    if (!paragraph) return
    const { text, level } = paragraph
    if (level !== undefined || this.#isTitle) return this.#outline.heading(level ?? 1, text)
    if (text.trim() === "") return
    const marked = this.#listDepth > 0 && this.#itemBegins && this.#slide === 0
    this.#itemBegins = false
    this.#outline.paragraph(marked ? `- ${text}` : text)
  }

  #addObject(reference: string | undefined): void {
    const folder = reference?.replace(/^\.\//, "")
    if (folder && this.objects.length < maxObjects) this.objects.push(folder)
  }
}

function getLevel(attributes: XmlAttributes): number {
  const level = Number(attribute(attributes, "outline-level") ?? 1)
  return level >= 1 ? level : 1
}

function spaces(attributes: XmlAttributes): number {
  const count = Number(attribute(attributes, "c") ?? 1)
  return count >= 1 ? Math.min(Math.floor(count), maxSpaces) : 1
}
