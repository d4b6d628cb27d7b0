import {
  type Box,
  type PageRow,
  type PageWord,
  type Piece,
  getBounds,
  getCentre,
  maxRowOffset,
} from "./page-pieces.ts"
import { groupRows } from "./page-rows.ts"

/** Maximum thickness of a table's rule, in points. */
export const maxRuleThickness = 2.5
/** Maximum distance between the rules of a table, whose cells may have a space between them. */
const maxRuleDistance = 3
const maxRules = 2000
const maxCells = 20_000

/** The rules of a table. */
interface Grid {
  bounds: Box
  across: Box[]
  down: Box[]
}

/** Finds the tables whose cells have rules on all sides, and the pieces that aren't in them. */
export function findRuledTables(
  pieces: readonly Piece[],
  boxes: Iterable<Box>,
  height: number,
): { tables: Piece[]; rest: readonly Piece[] } {
  const tables: Piece[] = []
  let rest = pieces
  for (const { bounds, across, down } of findGrids(boxes)) {
    const tops = mergeClose(across.map(getCentre)).toReversed()
    const lefts = mergeClose(down.map(({ left, right }) => (left + right) / 2))
    if (tops.length < 3 || lefts.length < 3 || tops.length * lefts.length > maxCells) continue
    const rows = Array.from({ length: tops.length - 1 }, () =>
      Array.from({ length: lefts.length - 1 }, (): PageWord[] => []),
    )
    const isInside = (piece: Piece) =>
      getCentre(piece) < bounds.top &&
      getCentre(piece) > bounds.bottom &&
      piece.left > bounds.left - 2 &&
      piece.right < bounds.right + 2
    const inside = rest.filter(isInside)
    if (inside.length === 0) continue
    for (const { pieces } of groupRows(inside, height * maxRowOffset))
      for (const part of pieces.flatMap((piece) => splitAtRules(piece, down))) {
        // A word may be on a rule.
        const row = tops.slice(1, -1).filter((top) => getCentre(part) < top).length
        const column = lefts.slice(1, -1).filter((left) => part.left > left - 2).length
        rows[row]?.[column]?.push(...part.words)
      }
    const filled = rows.filter((row) => row.some((cell) => cell.length > 0))
    const table = filled.map((cells): PageRow => ({ words: cells.flat(), cells }))
    tables.push({ line: Math.min(...inside.map(({ line }) => line)), words: [], table, ...bounds })
    rest = rest.filter((piece) => !isInside(piece))
  }
  return { tables, rest }
}

/** Splits a piece where the rules of columns cross its line. */
function splitAtRules(piece: Piece, down: readonly Box[]): Piece[] {
  const centre = getCentre(piece)
  const crossing = down.filter(
    ({ left, top, bottom }) => left > piece.left && left < piece.right && top > centre && bottom < centre,
  )
  if (crossing.length === 0) return [piece]
  const parts = new Map<number, PageWord[]>()
  for (const word of piece.words) {
    const column = crossing.filter(({ left }) => (word.left + word.right) / 2 > left).length
    parts.set(column, [...(parts.get(column) ?? []), word])
  }
  return Array.from(parts.values(), (words) => ({ line: piece.line, words, ...getBounds(words) }))
}

/** Groups the rules that touch each other. */
function findGrids(boxes: Iterable<Box>): Grid[] {
  const grids: Grid[] = []
  let count = 0
  for (const box of boxes) {
    const [width, height] = [box.right - box.left, box.top - box.bottom]
    if (Math.min(width, height) > maxRuleThickness || Math.max(width, height) < 2 * maxRuleThickness) continue
    if (++count > maxRules) break
    const grid: Grid = { bounds: box, across: [], down: [] }
    if (width > height) grid.across.push(box)
    else grid.down.push(box)
    for (let index = grids.length - 1; index >= 0; index--) {
      const other = grids[index]
      if (!other || !touches(other.bounds, grid.bounds)) continue
      grid.bounds = getBounds([grid.bounds, other.bounds])
      grid.across.push(...other.across)
      grid.down.push(...other.down)
      grids.splice(index, 1)
    }
    grids.push(grid)
  }
  return grids.filter(({ across, down }) => across.length > 2 && down.length > 2)
}

const touches = (a: Box, b: Box): boolean =>
  a.left <= b.right + maxRuleDistance &&
  b.left <= a.right + maxRuleDistance &&
  a.bottom <= b.top + maxRuleDistance &&
  b.bottom <= a.top + maxRuleDistance

/** Sorts numbers, and leaves out those that are close to the previous one. */
function mergeClose(values: readonly number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted.filter((value, index) => index === 0 || value - (sorted[index - 1] ?? 0) > maxRuleThickness)
}
