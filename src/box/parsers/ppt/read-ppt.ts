import type { CompoundArchive } from "../compound/compound-archive.ts"
import { failure } from "../parser.ts"
import type { Block } from "../parser.ts"
import { FlowOutline } from "../text/flow-outline.ts"
import { recordType, Records } from "./records.ts"
import { readSlideLists } from "./slide-list.ts"
import { writeFooters, writeSlide } from "./slide-text.ts"

/** Files for two versions of PowerPoint store the newer version in this storage. */
const dualStorage = "PP97_DUALSTORAGE/"

/**
 * Reads PowerPoint 97 to 2003, slide by slide: titles, text, comments and notes.
 *
 * Written here because ppt-to-text 1.0.1 (Apache-2.0, based on cfb) finds no text in two of the corpus's three readable files, treats one
 * with a password as empty, and doesn't report which slide contains a word.
 */
export function* readPpt(archive: CompoundArchive, password?: string): Generator<Block, void, undefined> {
  const stream = (name: string): Buffer | undefined => archive.read(dualStorage + name) ?? archive.read(name)
  const bytes = stream("PowerPoint Document")
  if (!bytes) throw failure("presentation_too_old")
  const records = new Records(bytes)
  const { slides, notes, footers } = readSlideLists(
    records,
    stream("Current User") ?? Buffer.alloc(0),
    password,
  )
  const notesOf = new Map(
    notes.map((entry) => [slideOfNotes(records, entry.record) ?? entry.slideId, entry] as const),
  )
  for (const [index, slide] of slides.entries()) {
    const outline = new FlowOutline({ slide: index + 1 })
    writeSlide(records, slide, outline)
    const page = notesOf.get(slide.slideId)
    if (page) {
      outline.section("Notes")
      writeSlide(records, page, outline)
    }
    yield* outline.take()
  }
  const outline = new FlowOutline()
  outline.section("Headers and footers")
  for (const container of footers) writeFooters(records, container, outline)
  yield* outline.take()
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
