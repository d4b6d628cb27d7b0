import type { CompoundArchive } from "../compound/compound-archive.ts"
import { findPictureShapes, StoredPictures } from "../office-art/art-pictures.ts"
import type { ArtRecord } from "../office-art/art-records.ts"
import { failure, maxPictureBytes, type Block, type OpenedInput, type ParseContext } from "../parser.ts"
import { readPicture } from "../pictures/read-picture.ts"
import { FlowOutline } from "../text/flow-outline.ts"
import { HiddenSlides } from "../text/hidden-slides.ts"
import { recordType, Records, type SlideEntry, readSlideLists } from "./presentation-file.ts"

const titleTypes = new Set([0, 6])

/** Writes the text of a slide or notes page: its shapes in order, then text that only the outline contains. */
function writeSlide(records: Records, { record, texts }: SlideEntry, outline: FlowOutline): void {
  const used = new Set<number>()
  const comments: string[] = []
  const isTextOrComment = ({ type }: ArtRecord): boolean =>
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
function writeFooters(records: Records, container: ArtRecord, outline: FlowOutline): void {
  for (const record of records.within(container)) outline.paragraph(clean(records.text(record) ?? ""))
}

function writeTextBox(
  records: Records,
  box: ArtRecord,
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

function commentText(records: Records, comment: ArtRecord): string {
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

/** Files for two versions of PowerPoint store the newer version in this storage. */
const dualStorage = "PP97_DUALSTORAGE/"

/**
 * Reads PowerPoint 97 to 2003, slide by slide: titles, text, comments and notes.
 *
 * Written here because ppt-to-text 1.0.1 (Apache-2.0, based on cfb) finds no text in two of the corpus's three readable files, treats one
 * with a password as empty, and doesn't report which slide contains a word.
 */
export async function* readPpt(
  archive: CompoundArchive,
  context: Pick<ParseContext, "note" | "marksHidden" | "ocr" | "pictures">,
  { password, scan }: Pick<OpenedInput, "password" | "scan">,
): AsyncGenerator<Block, void, undefined> {
  const stream = (name: string): Buffer | undefined => archive.read(dualStorage + name) ?? archive.read(name)
  const bytes = stream("PowerPoint Document")
  if (!bytes) throw failure("presentation_too_old")
  const records = new Records(bytes)
  const lists = readSlideLists(records, stream("Current User") ?? Buffer.alloc(0), password)
  const { slides, notes, footers, document, isEncrypted } = lists
  // The pictures of an encrypted presentation are encrypted piece by piece in another way.
  const getPictures = () =>
    document && !isEncrypted ? new StoredPictures(records, document, stream("Pictures")) : undefined
  if (scan?.picture !== undefined)
    return yield* readPicture(getPictures()?.load(Number(scan.picture), maxPictureBytes), context)
  const pictures = context.pictures && getPictures()
  const notesOf = new Map(
    notes.map((entry) => [slideOfNotes(records, entry.record) ?? entry.slideId, entry] as const),
  )
  const hidden = new HiddenSlides(context)
  for (const [index, slide] of slides.entries()) {
    const number = index + 1
    if (isHiddenSlide(records, slide)) {
      hidden.add(number)
      if (!hidden.isMarked) continue
    }
    const outline = new FlowOutline({ slide: number })
    writeSlide(records, slide, outline)
    yield* hidden.mark(outline.take())
    const place = { location: outline.location, isHidden: hidden.has(number) }
    if (pictures && slide.record)
      for (const { picture } of findPictureShapes(records, slide.record))
        yield* pictures.see(picture, place, context)
    const page = notesOf.get(slide.slideId)
    if (page) {
      outline.section("Notes")
      writeSlide(records, page, outline)
    }
    yield* hidden.mark(outline.take())
  }
  hidden.note(context)
  const outline = new FlowOutline()
  outline.section("Headers and footers")
  for (const container of footers) writeFooters(records, container, outline)
  yield* outline.take()
}

/** Position and bit of the flag that hides a slide (MS-PPT 2.6.6). */
const slideFlags = 10
const hiddenFlag = 1 << 2

function isHiddenSlide(records: Records, { record }: SlideEntry): boolean {
  for (const inner of record ? records.within(record) : [])
    if (inner.type === recordType.slideShowInfo) return (records.short(inner, slideFlags) & hiddenFlag) !== 0
  return false
}

function slideOfNotes(
  records: Records,
  notes: Parameters<Records["within"]>[0] | undefined,
): number | undefined {
  for (const record of notes ? records.within(notes) : []) {
    if (record.type === recordType.notesAtom) return records.number(record, 0)
  }
  return undefined
}
