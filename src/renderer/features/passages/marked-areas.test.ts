import { expect, test } from "vitest"
import type { FileBlock } from "../../../shared/contract/files.ts"
import { locatePassage } from "./locate-passage.ts"
import { markedAreas } from "./DocumentPages.tsx"

const area = (top: number) => ({ left: 0.1, top, width: 0.5, height: 0.1 })

// Catches highlights on the wrong page, highlights drawn twice, and missing ones on images, whose text has no page number.
test("highlights a passage wherever its parts are", () => {
  const blocks: FileBlock[] = [
    { kind: "paragraph", text: "Ships may enter by day.", location: { page: 1 }, area: area(0.1) },
    { kind: "paragraph", text: "Others wait outside the bar.", location: { page: 2 }, area: area(0.2) },
    { kind: "paragraph", text: "A piece whose place isn't known.", location: { page: 2 } },
  ]
  const passage = { text: blocks.map(({ text }) => text).join("\n\n"), location: { page: 1 } }
  expect(markedAreas(blocks, locatePassage(blocks, passage))).toEqual([
    { page: 1, area: area(0.1), mark: "strong" },
    { page: 2, area: area(0.2), mark: "strong" },
  ])
  const second = blocks[1]?.text ?? ""
  const start = passage.text.indexOf(second)
  expect(markedAreas(blocks, locatePassage(blocks, passage, [[start, start + second.length]]))).toEqual([
    { page: 1, area: area(0.1), mark: "faint" },
    { page: 2, area: area(0.2), mark: "strong" },
  ])
  expect(
    markedAreas(
      [{ kind: "paragraph", text: "From a picture", location: {}, area: area(0.3) }],
      [{ block: 0, start: 0, end: 4 }],
    ),
  ).toEqual([{ page: 1, area: area(0.3), mark: "strong" }])
})
