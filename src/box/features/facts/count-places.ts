import type { Coverage } from "../../../shared/contract/chat.ts"
import type { Block } from "../../parsers/parser.ts"

type FileCoverage = Coverage["files"][number]

/** Counts the units of a document, such as pages, and how many of them were read before reading stopped. */
export function createPlaceCounter() {
  const last = { page: 0, slide: 0, line: 0 }
  const placed = { page: 0, slide: 0, sheet: 0, line: 0 }
  const sheets = new Set<string>()
  let blocks = 0
  let looked: { at: typeof last; sheets: number; blocks: number } | undefined

  function unitOf(): FileCoverage["unit"] {
    const told = (["page", "slide", "sheet", "line"] as const).find((unit) => placed[unit] === blocks)
    return blocks > 0 && told ? told : "part"
  }

  function countIn(unit: FileCoverage["unit"], counted: NonNullable<typeof looked>): number {
    if (unit === "part") return counted.blocks
    return unit === "sheet" ? counted.sheets : counted.at[unit]
  }

  const now = () => ({ at: { ...last }, sheets: sheets.size, blocks })

  return {
    see({ text, location }: Block): void {
      blocks++
      const { page, slide, sheet, line } = location
      if (page !== undefined) [placed.page, last.page] = [placed.page + 1, Math.max(last.page, page)]
      if (slide !== undefined) [placed.slide, last.slide] = [placed.slide + 1, Math.max(last.slide, slide)]
      if (sheet !== undefined) {
        placed.sheet++
        sheets.add(sheet)
      }
      if (line === undefined) return
      placed.line++
      last.line = Math.max(last.line, line + text.split("\n").length - 1)
    },

    /** Later blocks are counted as not read. */
    stop: () => void (looked ??= now()),

    count(): Pick<FileCoverage, "read" | "of" | "unit"> {
      const unit = unitOf()
      const of = countIn(unit, now())
      return { unit, of, read: looked ? Math.min(of, countIn(unit, looked)) : of }
    },
  }
}
