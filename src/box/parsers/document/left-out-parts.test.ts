import { expect, test } from "vitest"
import { reason, reasonText } from "../../../shared/contract/file-reasons.ts"
import { NoteGroups } from "./left-out-parts.ts"

function collect(add: (groups: NoteGroups) => void): string[] {
  const notes: string[] = []
  const groups = new NoteGroups((note) => notes.push(reasonText(note)))
  add(groups)
  groups.finish()
  return notes
}

// Catches a hostile archive whose note has a sentence for each of its files, and names that make one sentence endless.
test("notes a limited number of reasons and names", () => {
  const notes = collect((groups) => {
    for (let index = 0; index < 500; index++) {
      const cause = reason("type_unread", { name: `a.x${index}` })
      groups.add(reason("entry_skipped", { name: `a.x${index}`, cause }))
      groups.add(
        reason("entry_skipped", { name: `${"long".repeat(40)}${index}`, cause: reason("encrypted") }),
      )
    }
  })
  expect(notes).toHaveLength(21)
  expect(notes[1]).toMatch(/^500 files were skipped \((long){40}0, …\): This file is encrypted/)
  expect(notes.at(-1)).toBe("481 more messages and attachments were skipped.")
  expect(Math.max(...notes.map((note) => note.length))).toBeLessThan(300)
})

// Catches messages that are counted as files, and a document that loses its name because there is only one.
test("keeps kinds of parts apart, and names the only document", () => {
  const notes = collect((groups) => {
    const cause = reason("message_too_large")
    for (const number of [3, 7]) groups.add(reason("message_skipped", { number, cause }))
    groups.add(reason("embedded_left_out", { name: "a.bin", cause }))
    groups.add({ document: "a.xlsx", ...reason("hidden_rows_left_out", { count: 2 }) })
    groups.add(reason("characters_damaged"))
  })
  expect(notes).toEqual([
    "Some characters in this file are damaged. They are shown as �.",
    "2 messages were skipped (3, 7): It is too large to read.",
    'The attachment "a.bin" was skipped: It is too large to read.',
    "a.xlsx: 2 hidden rows were skipped.",
  ])
})
