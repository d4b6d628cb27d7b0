import type { Part } from "../cut-parts.ts"
import type { PartNotes } from "../read-parts.ts"
import type { CitedNote } from "./cited-notes.ts"

/**
 * Returns the notes of all parts that were read, in document order. A statement without a location is left out if it was already made. A
 * row is left out if each of its possible documents already has it.
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
  const seen = new Set(notes.filter(({ at }) => at.length > 0).flatMap(getKeys))
  return notes.filter((note) => {
    if (note.at.length > 0) return true
    const isNew = getKeys(note).some((key) => !seen.has(key))
    for (const key of getKeys(note)) seen.add(key)
    return isNew
  })
}

/** Returns the keys that identify equal notes: the text, or for a row the cells and the document. */
function getKeys({ text, cells, at, from = [] }: CitedNote): string[] {
  if (!cells) return [text]
  const documents = new Set([...at.map(({ document }) => document), ...from])
  return [...documents].map(({ file }) => JSON.stringify([file.id, cells]))
}
