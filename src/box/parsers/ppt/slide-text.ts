import type { FlowOutline } from "../text/flow-outline.ts"
import { recordType } from "./records.ts"
import type { PptRecord, Records } from "./records.ts"
import type { SlideEntry } from "./slide-list.ts"

const titleTypes = new Set([0, 6])

/** Writes the text of a slide or notes page: its shapes in order, then text that only the outline contains. */
export function writeSlide(records: Records, { record, texts }: SlideEntry, outline: FlowOutline): void {
  const used = new Set<number>()
  const comments: string[] = []
  const isTextOrComment = ({ type }: PptRecord): boolean =>
    type === recordType.textBox || type === recordType.comment
  for (const inner of record ? records.deep(record, (inner) => !isTextOrComment(inner)) : []) {
    if (inner.type === recordType.textBox) writeTextBox(records, inner, texts, used, outline)
    else if (inner.type === recordType.headersFooters) writeFooters(records, inner, outline)
    else if (inner.type === recordType.comment) comments.push(commentText(records, inner))
  }
  for (const [index, { text, isTitle }] of texts.entries())
    if (!used.has(index)) write(text, isTitle, outline)
  for (const comment of comments) outline.paragraph(comment)
}

/** Writes the texts of headers and footers. */
export function writeFooters(records: Records, container: PptRecord, outline: FlowOutline): void {
  for (const record of records.within(container)) outline.paragraph(clean(records.text(record) ?? ""))
}

function writeTextBox(
  records: Records,
  box: PptRecord,
  texts: SlideEntry["texts"],
  used: Set<number>,
  outline: FlowOutline,
): void {
  let isTitle = false
  let hasText = false
  let reference: number | undefined
  for (const record of records.within(box)) {
    const text = records.text(record)
    if (record.type === recordType.textHeader) isTitle = titleTypes.has(records.number(record, 0))
    else if (record.type === recordType.outlineTextReference) reference = records.number(record, 0)
    else if (text !== undefined) {
      write(text, isTitle, outline)
      hasText = true
    }
  }
  const referred = reference === undefined ? undefined : texts[reference]
  if (hasText || reference === undefined || !referred) return
  used.add(reference)
  write(referred.text, referred.isTitle, outline)
}

function write(text: string, isTitle: boolean, outline: FlowOutline): void {
  const lines = clean(text)
  // A remnant of a field or an empty placeholder.
  if (lines === "*") return
  if (isTitle) outline.heading(1, lines)
  else for (const line of lines.split("\r")) outline.paragraph(line)
}

function commentText(records: Records, comment: PptRecord): string {
  const strings = [...records.within(comment)].map((record) => records.text(record))
  return strings
    .slice(0, 2)
    .filter((text) => text !== undefined)
    .map(clean)
    .join(": ")
}

/** VT ends a line, CR a paragraph. */
function clean(text: string): string {
  return text.replaceAll("\v", "\n")
}
