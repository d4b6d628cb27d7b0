import { joinShifted, type Shift } from "../text/linear-math.ts"

/** Where characters of another font start in the text of a cell. */
export interface FontRun {
  start: number
  shift: Shift
}

const shifts: readonly Shift[] = [undefined, "raised", "lowered"]

/** Returns how a font of Excel's binary formats shifts its characters. */
export const getFontShift = (value: number): Shift => shifts[value]

/** Joins the runs of a cell's text. Raised and lowered ones are told from the others. */
export function joinRuns(text: string, runs: readonly FontRun[]): string {
  let joined = text.slice(0, runs[0]?.start)
  for (const [index, { start, shift }] of runs.entries())
    joined = joinShifted(joined, text.slice(start, runs[index + 1]?.start), shift)
  return joined
}
