import type { Part } from "../cut-parts.ts"
import type { PartNotes } from "../read-parts.ts"
import type { CitedNote } from "./cited-notes.ts"

/**
 * The notes of all parts that were read, in the order of the documents. A statement without a place is left out where it
 * was made before; a row is, where one of each of the documents that it may stand in was.
 */
export function notesOfParts(parts: readonly Part[], read: ReadonlyMap<Part, PartNotes>): CitedNote[] {
  const notes = parts.flatMap((part) =>
    (read.get(part)?.notes ?? []).map(({ text, blocks, cells }) => ({
      text,
      cells,
      at: blocks.flatMap((block) => part[block] ?? []),
      from: blocks.length > 0 ? [] : [...new Set(part.map(({ document }) => document))],
    })),
  )
  const said = new Set(notes.filter(({ at }) => at.length > 0).flatMap(keysOf))
  return notes.filter((note) => {
    if (note.at.length > 0) return true
    const isNew = keysOf(note).some((key) => !said.has(key))
    for (const key of keysOf(note)) said.add(key)
    return isNew
  })
}

/** What makes a note the same as another one: its words; of a row also its document. */
function keysOf({ text, cells, at, from = [] }: CitedNote): string[] {
  if (!cells) return [text]
  const documents = new Set([...at.map(({ document }) => document), ...from])
  return [...documents].map(({ file }) => JSON.stringify([file.id, cells]))
}
