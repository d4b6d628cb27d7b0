import type { Coverage } from "../../../shared/contract/chat.ts"
import type { Block } from "../../parsers/parser.ts"

type FileCoverage = Coverage["files"][number]

/** Counts the units of a document, such as pages, and how many of them were read before reading stopped. */
export function createUnitCounter() {
  const last = { page: 0, slide: 0, line: 0 }
  const unitCounts = { page: 0, slide: 0, sheet: 0, line: 0 }
  const sheets = new Set<string>()
  let blocks = 0
  let looked: { at: typeof last; sheets: number; blocks: number } | undefined

  function getUnit(): FileCoverage["unit"] {
    const sharedUnit = (["page", "slide", "sheet", "line"] as const).find(
      (unit) => unitCounts[unit] === blocks,
    )
    return blocks > 0 && sharedUnit ? sharedUnit : "part"
  }

  function countIn(unit: FileCoverage["unit"], counted: NonNullable<typeof looked>): number {
    if (unit === "part") return counted.blocks
    return unit === "sheet" ? counted.sheets : counted.at[unit]
  }

  const now = () => ({ at: { ...last }, sheets: sheets.size, blocks })

  return {
    visit({ text, location }: Block): void {
      blocks++
      const { page, slide, sheet, line } = location
      if (page !== undefined) [unitCounts.page, last.page] = [unitCounts.page + 1, Math.max(last.page, page)]
      if (slide !== undefined)
        [unitCounts.slide, last.slide] = [unitCounts.slide + 1, Math.max(last.slide, slide)]
      if (sheet !== undefined) {
        unitCounts.sheet++
        sheets.add(sheet)
      }
      if (line === undefined) return
      unitCounts.line++
      last.line = Math.max(last.line, line + text.split("\n").length - 1)
    },

    /** Later blocks are counted as not read. */
    stop: () => void (looked ??= now()),

    count(): Pick<FileCoverage, "read" | "of" | "unit"> {
      const unit = getUnit()
      const of = countIn(unit, now())
      return { unit, of, read: looked ? Math.min(of, countIn(unit, looked)) : of }
    },
  }
}
