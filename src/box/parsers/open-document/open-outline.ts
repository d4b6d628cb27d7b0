import type { PartPicture } from "../office/office-package.ts"
import type { FlowOutline } from "../text/flow-outline.ts"
import { HiddenSlides } from "../text/hidden-slides.ts"
import { HiddenText, isBlank } from "../text/hidden-text.ts"
import { joinMath, joinShifted, MathMl, type Shift } from "../text/linear-math.ts"
import { getLinkTarget } from "../text/link-target.ts"
import { bullet } from "../text/list-numbers.ts"
import { attribute, type XmlAttributes, type XmlHandler } from "../xml/xml-events.ts"
import { OpenStyles, type ListCounts } from "./open-styles.ts"

/** Deleted text, note numbers, and images as text. */
const unread = new Set(["tracked-changes", "note-citation", "binary-data", "forms"])
/** Author and date of a comment. In a paragraph, elements with these names are fields of the document. */
const commentDetails = new Set(["creator", "date"])
/** Parts that may be hidden as a whole. */
const sectionNames = new Set(["section", "hidden-text"])
const maxSpaces = 100
const maxObjects = 1000

/** Maximum columns in which a cell is repeated. */
const maxSpan = 100

interface Paragraph {
  text: string
  /** Level of a heading. */
  level: number | undefined
  /** Number or bullet that precedes the text. */
  label: string
  /** How further text of it is shown; `left-out`: it only depicts a check box. */
  appearance: Appearance
  /** How the next text is shifted, if the text before it isn't. */
  nextShift: Shift
}

type Appearance = "shown" | "hidden" | "left-out"

interface List {
  /** From 1. */
  level: number
  style: string | undefined
  counts: ListCounts
  /** Number of paragraphs around it. */
  depth: number
  /** Whether its numbers continue those of another list. */
  continues: boolean
  /** The current item until its first paragraph. */
  item: { start: number | undefined; hasNumber: boolean } | undefined
}

interface Table {
  row: number
  column: number
  cell: { columns: number; rows: number; repeated: number; isCovered: boolean }
  /** Texts of cells that cover others, by column, with their first and last row. */
  covers: Map<number, { text: string; row: number; lastRow: number }>
}

/**
 * Reads texts and presentations in OpenDocument (ODF 1.3 part 3, 5 and 10): paragraphs with their numbers, including nested ones, and tables.
 */
export class OpenOutline implements XmlHandler {
  /** Embedded documents, such as charts, by their folder in the package. */
  readonly objects: { folder: string; isHidden: boolean }[] = []
  /** Pictures since the last step. */
  readonly pictures: PartPicture[] = []
  readonly hiddenSlides: HiddenSlides
  readonly #outline: FlowOutline
  readonly #styles: OpenStyles
  readonly #open: Paragraph[] = []
  readonly #hidden: HiddenText
  /** For each open section, whether it is hidden. */
  readonly #sections: boolean[] = []
  /** Number of open sections whose text is read although they are hidden. */
  #hiddenSections = 0
  /** For each open span, how the text around it is shown. */
  readonly #spans: Appearance[] = []
  readonly #links: { paragraph: Paragraph | undefined; start: number; target: string }[] = []
  readonly #lists: List[] = []
  readonly #countsOfList = new Map<string, ListCounts>()
  readonly #countsOfStyle = new Map<string, ListCounts>()
  readonly #headingCounts: ListCounts = []
  readonly #tables: Table[] = []
  #inStyles = false
  #unread = 0
  /** For each open comment, the number of paragraphs around it. */
  readonly #comments: number[] = []
  #headerRows = 0
  #slide = 0
  #isHiddenSlide = false
  #isTitle = false
  #math: MathMl | undefined
  #field: FormField | undefined
  readonly #equations: ReadonlyMap<string, string>

  /** @param equations of embedded formulas, by their folder */
  constructor(
    outline: FlowOutline,
    styles = new OpenStyles(),
    hidden = new HiddenText({ marksHidden: false }),
    equations = new Map<string, string>(),
  ) {
    this.#outline = outline
    this.#styles = styles
    this.#hidden = hidden
    this.hiddenSlides = new HiddenSlides({ marksHidden: hidden.isMarked })
    this.#equations = equations
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === "automatic-styles") this.#inStyles = true
    if (this.#inStyles) return this.#styles.open(name, attributes)
    if (sectionNames.has(name)) {
      const isHidden =
        attribute(attributes, "display") === "none" || attribute(attributes, "is-hidden") === "true"
      this.#sections.push(isHidden && this.#unread === 0)
      if (this.#sections.at(-1)) this.#startHiddenSection()
    }
    if (name === "page") this.#startSlide(attribute(attributes, "style-name"))
    if (this.#isUnread(name)) this.#unread++
    if (this.#unread > 0) return
    if (this.#math) return this.#math.open(name, attributes)
    const paragraph = this.#open.at(-1)
    if (name === "p" || name === "h") this.#startParagraph(name, attributes)
    else if (name === "annotation") this.#comments.push(this.#open.length)
    else if (name === "span") this.#startSpan(attributes)
    else if (name === "content-control") this.#startControl(attributes)
    else if (name === "hidden-paragraph") {
      if (paragraph && attribute(attributes, "is-hidden") === "true") paragraph.appearance = "hidden"
    } else if (name === "a") {
      const target = attribute(attributes, "href") ?? ""
      this.#links.push({ paragraph, start: paragraph?.text.length ?? 0, target })
    } else if (name === "s") this.#add(paragraph, " ".repeat(spaces(attributes)))
    else if (name === "tab") this.#add(paragraph, " ")
    else if (name === "ruby-text") this.#add(paragraph, "(")
    else if (name === "title" || name === "desc") this.#add(paragraph, " ")
    else if (name === "line-break") this.#add(paragraph, "\n")
    else if (name === "list") this.#startList(attributes)
    else if (name === "list-item" || name === "list-header") {
      const list = this.#lists.at(-1)
      if (list) list.item = { start: getStart(attributes), hasNumber: name === "list-item" }
    } else if (name === "notes" && this.#slide > 0) this.#outline.section("Notes")
    else if (name === "frame") this.#isTitle = attribute(attributes, "class") === "title"
    else if (name === "object") this.#addObject(attribute(attributes, "href"))
    else if (name === "image") this.#addPicture(getPicturePart(attributes))
    else if (name === "math") this.#math = new MathMl()
    else if (name === "fieldmark") this.#field = createFormField(attributes)
    else if (name === "param" && this.#field) describeFormField(this.#field, attributes)
    else this.#openTable(name, attributes)
  }

  text(text: string): void {
    if (this.#unread > 0) return
    if (this.#math) return this.#math.text(text)
    this.#add(this.#open.at(-1), text.replace(/\s+/g, " "))
  }

  close(name: string): void {
    if (this.#inStyles) {
      if (name === "automatic-styles") this.#inStyles = false
      return this.#styles.close(name)
    }
    const wasUnread = this.#unread > 0
    if (this.#isUnread(name)) this.#unread--
    if (sectionNames.has(name) && this.#sections.pop()) this.#endHiddenSection()
    if (name === "page") this.#endSlide()
    if (wasUnread) return
    if (this.#math) return this.#closeMath(this.#math)
    if (name === "p" || name === "h") this.#endParagraph()
    else if (name === "annotation") this.#comments.pop()
    else if (name === "span" || name === "content-control") this.#endSpan()
    else if (name === "a") this.#endLink()
    else if (name === "title" || name === "desc") this.#add(this.#open.at(-1), " ")
    else if (name === "ruby-text") this.#add(this.#open.at(-1), ")")
    else if (name === "list") this.#lists.pop()
    else if (name === "frame") this.#isTitle = false
    else if (name === "fieldmark") this.#endField()
    else this.#closeTable(name)
  }

  #isUnread(name: string): boolean {
    return unread.has(name) || (commentDetails.has(name) && this.#comments.at(-1) === this.#open.length)
  }

  #add(paragraph: Paragraph | undefined, text: string): void {
    if (!paragraph || paragraph.appearance === "left-out") return
    const isHidden = paragraph.appearance === "hidden" || this.#hiddenSections > 0
    if (isHidden) paragraph.text += this.#hidden.enclose(text)
    else paragraph.text = joinShifted(paragraph.text, text, paragraph.nextShift)
    paragraph.nextShift = undefined
  }

  #startSlide(style: string | undefined): void {
    this.#outline.moveTo({ slide: ++this.#slide })
    this.#isHiddenSlide = this.#styles.isHidden("drawing-page", style) ?? false
    if (!this.#isHiddenSlide) return
    this.hiddenSlides.add(this.#slide)
    if (!this.hiddenSlides.isMarked) this.#unread++
  }

  #endSlide(): void {
    if (this.#isHiddenSlide && !this.hiddenSlides.isMarked) this.#unread--
    this.#isHiddenSlide = false
  }

  #startHiddenSection(): void {
    if (this.#hidden.isMarked) this.#hiddenSections++
    else {
      this.#hidden.count()
      this.#unread++
    }
  }

  #endHiddenSection(): void {
    if (this.#hiddenSections > 0) this.#hiddenSections--
    else this.#unread--
  }

  #startParagraph(name: string, attributes: XmlAttributes): void {
    const style = attribute(attributes, "style-name")
    const isHidden = this.#styles.isHidden("paragraph", style) ?? false
    const level = name === "h" ? getLevel(attributes) : undefined
    const label = isHidden || this.#hiddenSections > 0 ? "" : this.#getLabel(style, level, attributes)
    this.#open.push({
      text: "",
      level,
      label,
      appearance: isHidden ? "hidden" : "shown",
      nextShift: undefined,
    })
  }

  #getLabel(style: string | undefined, level: number | undefined, attributes: XmlAttributes): string {
    if (this.#slide > 0) return ""
    const list = this.#lists.at(-1)
    if (!list) {
      const hasNumber = attribute(attributes, "is-list-header") !== "true"
      if (level === undefined || !hasNumber || this.#styles.getListStyle(style) === "") return ""
      const restarts = attribute(attributes, "restart-numbering") === "true"
      const start = restarts ? (getStart(attributes) ?? 1) : undefined
      return this.#styles.count(undefined, this.#headingCounts, level, start)
    }
    // A paragraph of a note isn't part of the list around the note.
    if (list.depth !== this.#open.length) return ""
    const { item } = list
    list.item = undefined
    if (!item?.hasNumber) return ""
    const listStyle = list.style ?? this.#styles.getListStyle(style) ?? ""
    return this.#styles.count(listStyle, list.counts, list.level, item.start)
  }

  #startList(attributes: XmlAttributes): void {
    const around = this.#lists.at(-1)
    const style = attribute(attributes, "style-name") ?? around?.style
    const level = (around?.level ?? 0) + 1
    const continued =
      this.#countsOfList.get(attribute(attributes, "continue-list") ?? "") ??
      (attribute(attributes, "continue-numbering") === "true"
        ? this.#countsOfStyle.get(style ?? "")
        : undefined)
    const counts = around?.counts ?? continued ?? []
    const continues = continued !== undefined || (around?.continues ?? false)
    if (around && !continues && counts.length > level) counts.length = level
    this.#lists.push({ level, style, counts, depth: this.#open.length, continues, item: undefined })
    const id = attribute(attributes, "id")
    if (id !== undefined) this.#countsOfList.set(id, counts)
    if (style !== undefined) this.#countsOfStyle.set(style, counts)
  }

  #startSpan(attributes: XmlAttributes): void {
    const paragraph = this.#open.at(-1)
    this.#spans.push(paragraph?.appearance ?? "shown")
    const style = attribute(attributes, "style-name")
    if (paragraph) paragraph.nextShift = this.#styles.getShift(style)
    const isHidden = this.#styles.isHidden("text", style)
    if (paragraph && isHidden !== undefined) paragraph.appearance = isHidden ? "hidden" : "shown"
  }

  /** Starts a control of a form. The text of a check box is only a symbol. */
  #startControl(attributes: XmlAttributes): void {
    const paragraph = this.#open.at(-1)
    this.#spans.push(paragraph?.appearance ?? "shown")
    if (!paragraph || attribute(attributes, "checkbox") !== "true") return
    this.#add(paragraph, attribute(attributes, "checked") === "true" ? "[x] " : "[ ] ")
    paragraph.appearance = "left-out"
  }

  #endSpan(): void {
    const before = this.#spans.pop() ?? "shown"
    const paragraph = this.#open.at(-1)
    if (paragraph) Object.assign(paragraph, { appearance: before, nextShift: undefined })
  }

  /** Adds a link's target after its text, unless the text is a heading or shows the target. */
  #endLink(): void {
    const link = this.#links.pop()
    const paragraph = this.#open.at(-1)
    if (!link || !paragraph || link.paragraph !== paragraph || paragraph.level !== undefined) return
    const shown = paragraph.text.slice(link.start)
    const target = isBlank(shown) ? undefined : getLinkTarget(link.target, shown)
    if (target !== undefined) paragraph.text += ` (${target})`
  }

  #endParagraph(): void {
    const paragraph = this.#open.pop()
    if (!paragraph) return
    const { text, level, label } = paragraph
    const isEmpty = isBlank(text)
    if (level !== undefined || this.#isTitle) {
      const number = isEmpty || label === bullet ? "" : label
      return this.#outline.heading(level ?? 1, number + text)
    }
    if (!isEmpty) return this.#outline.paragraph(label + text)
    // In a column of numbers, the cells have no other text.
    const number = label !== bullet && this.#tables.length > 0 ? label : ""
    if (number !== "" || text.trim() !== "") this.#outline.paragraph(number + text)
  }

  #openTable(name: string, attributes: XmlAttributes): void {
    const table = this.#tables.at(-1)
    if (name === "table") {
      this.#outline.startTable()
      const cell = { columns: 1, rows: 1, repeated: 1, isCovered: false }
      this.#tables.push({ row: 0, column: 0, cell, covers: new Map() })
    } else if (name === "table-header-rows") this.#headerRows++
    else if (name === "table-row") {
      this.#outline.startRow()
      if (table) Object.assign(table, { row: table.row + 1, column: 0 })
    } else if (name === "table-cell" || name === "covered-table-cell") {
      this.#outline.startCell()
      if (!table) return
      table.cell = {
        columns: Math.min(getCount(attributes, "number-columns-spanned"), maxSpan),
        rows: getCount(attributes, "number-rows-spanned"),
        repeated: Math.min(getCount(attributes, "number-columns-repeated"), maxRepeatedCells),
        isCovered: name === "covered-table-cell",
      }
    }
  }

  #closeTable(name: string): void {
    if (name === "table") {
      this.#outline.endTable()
      this.#tables.pop()
    } else if (name === "table-header-rows") this.#headerRows--
    else if (name === "table-row") this.#outline.endRow(this.#headerRows > 0)
    else if (name === "table-cell" || name === "covered-table-cell") this.#endCell()
  }

  #endCell(): void {
    const table = this.#tables.at(-1)
    if (!table) return
    const { row, covers, cell } = table
    if (!cell.isCovered) {
      const text = this.#outline.cellText
      const covered = cell.columns > 1 || cell.rows > 1 ? cell.columns : 0
      for (let index = 0; index < covered; index++)
        covers.set(table.column + index, { text, row, lastRow: row + cell.rows - 1 })
      this.#outline.repeatCell(cell.repeated - 1)
    }
    for (let index = 0; cell.isCovered && index < cell.repeated; index++) {
      if (index > 0) this.#outline.startCell()
      const cover = covers.get(table.column + index)
      if (cover && row <= cover.lastRow)
        this.#outline.coverCell(cover.text, cover.row === row ? "left" : "above")
    }
    table.column += cell.repeated
  }

  #closeMath(math: MathMl): void {
    const equation = math.close()
    if (equation === undefined) return
    this.#math = undefined
    this.#addEquation(equation)
  }

  #addEquation(equation: string): void {
    const paragraph = this.#open.at(-1)
    if (!paragraph) this.#outline.paragraph(equation)
    else if (paragraph.appearance === "shown" && this.#hiddenSections === 0)
      paragraph.text = joinMath(paragraph.text, equation)
    else this.#add(paragraph, equation)
  }

  #endField(): void {
    const { isCheckBox = false, isChecked = false, entries = [], selected = 0 } = this.#field ?? {}
    this.#field = undefined
    this.#add(this.#open.at(-1), isCheckBox ? (isChecked ? "[x] " : "[ ] ") : (entries[selected] ?? ""))
  }

  #addPicture(part: string | undefined): void {
    const isHidden =
      this.#open.at(-1)?.appearance === "hidden" || this.#hiddenSections > 0 || this.#isHiddenSlide
    if (part === undefined || (isHidden && !this.#hidden.isMarked)) return
    const { location } = this.#outline
    if (this.pictures.length < maxObjects) this.pictures.push({ part, location, isHidden })
  }

  #addObject(reference: string | undefined): void {
    const folder = reference?.replace(/^\.\//, "")
    const equation = folder === undefined ? undefined : this.#equations.get(folder)
    if (equation !== undefined) this.#addEquation(equation)
    else if (folder && this.#hiddenSections === 0 && this.objects.length < maxObjects)
      this.objects.push({ folder, isHidden: this.#isHiddenSlide })
  }
}

/** Returns the part with a picture; undefined for one outside of the package, and for the preview of an object. */
export function getPicturePart(attributes: XmlAttributes): string | undefined {
  const part = attribute(attributes, "href")?.replace(/^\.\//, "")
  return part === undefined || part.startsWith("ObjectReplacements/") ? undefined : part
}

/** A check box or drop-down list of an older form. */
interface FormField {
  isCheckBox: boolean
  isChecked: boolean
  entries: string[]
  selected: number
}

const maxEntries = 1000

function createFormField(attributes: XmlAttributes): FormField {
  const isCheckBox = attribute(attributes, "type")?.endsWith("FORMCHECKBOX") ?? false
  return { isCheckBox, isChecked: false, entries: [], selected: 0 }
}

function describeFormField(field: FormField, attributes: XmlAttributes): void {
  const value = attribute(attributes, "value") ?? ""
  const name = attribute(attributes, "name")
  if (name === "Checkbox_Checked") field.isChecked = value === "true"
  else if (name === "Dropdown_ListEntry" && field.entries.length < maxEntries) field.entries.push(value)
  else if (name === "Dropdown_Selected") field.selected = Number(value)
}

function getStart(attributes: XmlAttributes): number | undefined {
  const start = Number(attribute(attributes, "start-value") ?? Number.NaN)
  return start >= 0 && start < 2 ** 31 ? Math.floor(start) : undefined
}

function getLevel(attributes: XmlAttributes): number {
  const level = Number(attribute(attributes, "outline-level") ?? 1)
  return level >= 1 ? level : 1
}

function spaces(attributes: XmlAttributes): number {
  const count = Number(attribute(attributes, "c") ?? 1)
  return count >= 1 ? Math.min(Math.floor(count), maxSpaces) : 1
}

/** Equal adjacent cells are stored once with a count. A larger count means that they are only a background. */
export const maxRepeatedCells = 50

/** Returns a count of 1 or more. */
export function getCount(attributes: XmlAttributes, name: string): number {
  const value = Number(attribute(attributes, name) ?? 1)
  return value >= 1 && value < 2 ** 31 ? Math.floor(value) : 1
}
