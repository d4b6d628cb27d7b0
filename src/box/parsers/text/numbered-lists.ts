import { bullet, formatNumber } from "./list-numbers.ts"

/** One level of a list (ECMA-376 part 1, 17.9). */
export interface ListLevel {
  start: number
  format: string
  /** Examples of a custom format, such as `001, 002, 003, ...`. */
  examples: string
  /** `%1` stands for the number of the first level. */
  text: string
  /** The level, from 1, after which this one starts again; 0 for never. */
  restart: number | undefined
  isLegal: boolean
  style: string | undefined
}

/** A list, whose paragraphs are counted together. */
export interface List {
  levels: Map<number, ListLevel>
  /** Current number of each level. */
  counts: (number | undefined)[]
}

export interface LevelOverride {
  start?: number
  level?: ListLevel
}

/** A use of a list, with its own start or levels. */
export interface Numbering {
  overrides: Map<number, LevelOverride>
  /** Levels whose start was overridden already. */
  started: Set<number>
}

export const maxLevels = 9

export const createList = (): List => ({ levels: new Map(), counts: [] })

export const createNumbering = (): Numbering => ({ overrides: new Map(), started: new Set() })

export const createLevel = (): ListLevel => ({
  start: 1,
  format: "decimal",
  examples: "",
  text: "",
  restart: undefined,
  isLegal: false,
  style: undefined,
})

/** Names of the number formats that Word stores as numbers (MS-OSHARED 2.2.1.3); the others are written in digits. */
export const storedFormats: Record<number, string> = {
  1: "upperRoman",
  2: "lowerRoman",
  3: "upperLetter",
  4: "lowerLetter",
  5: "ordinal",
  6: "cardinalText",
  7: "ordinalText",
  18: "decimalEnclosedCircle",
  22: "decimalZero",
  23: "bullet",
  57: "numberInDash",
  58: "russianLower",
  59: "russianUpper",
  255: "none",
}

/** Counts a paragraph of a list and returns what precedes its text: its number, a bullet, or nothing. */
export function countParagraph(list: List, numbering: Numbering, index: number): string {
  const getLevel = (at: number) => numbering.overrides.get(at)?.level ?? list.levels.get(at)
  const level = getLevel(index)
  if (!level) return ""
  advance(numbering, list.counts, index, getLevel)
  if (level.format === "bullet") return bullet
  const label = level.text
    .replace(/%([1-9])/g, (_, digit: string) => {
      const at = Number(digit) - 1
      const shown = getLevel(at)
      if (!shown) return ""
      const isDecimal = level.isLegal && shown.format !== "none" && shown.format !== "decimalZero"
      return formatNumber(
        list.counts[at] ?? shown.start,
        isDecimal ? "decimal" : shown.format,
        shown.examples,
      )
    })
    .trim()
  if (label === "") return ""
  if (/^[^\p{L}\p{N}]$/u.test(label)) return bullet
  // Some levels are shown without a space, which would join the number to the first word.
  return `${label} `
}

function advance(
  numbering: Numbering,
  counts: List["counts"],
  index: number,
  getLevel: (index: number) => ListLevel | undefined,
): void {
  const overridden = numbering.overrides.get(index)?.start
  if (overridden !== undefined && !numbering.started.has(index)) counts[index] = overridden
  else {
    const before = counts[index]
    counts[index] = before === undefined ? (getLevel(index)?.start ?? 1) : before + 1
  }
  numbering.started.add(index)
  // Levels above that no paragraph has used yet count as started.
  for (let above = 0; above < index; above++) counts[above] ??= getLevel(above)?.start ?? 1
  for (let below = index + 1; below < maxLevels; below++) {
    const restart = getLevel(below)?.restart
    if (restart === undefined || index < restart) counts[below] = undefined
  }
}
