import { bullet, formatNumber } from "../text/list-numbers.ts"
import { attribute, type XmlAttributes, type XmlHandler } from "../xml/xml-events.ts"

interface Level {
  start: number
  format: string
  /** Examples of a custom format, such as `001, 002, 003, ...`. */
  examples: string
  /** `%1` stands for the number of the first level. */
  text: string
  suffix: string
  /** The level, from 1, after which this one starts again; 0 for never. */
  restart: number | undefined
  isLegal: boolean
  style: string | undefined
}

interface List {
  levels: Map<number, Level>
  /** The list style whose levels are used instead. */
  linkedStyle: string | undefined
  /** Current number of each level. */
  counts: (number | undefined)[]
}

interface Override {
  start?: number
  level?: Level
}

interface Numbering {
  list: string
  overrides: Map<number, Override>
  /** Levels whose start was overridden already. */
  started: Set<number>
}

const maxLevels = 9
const maxTextLength = 200
const maxLinks = 10
/** Reads numbering definitions and counts the paragraphs that use them (ECMA-376 part 1, 17.9). */
export class WordNumbering implements XmlHandler {
  readonly #lists = new Map<string, List>()
  readonly #listOfStyle = new Map<string, List>()
  readonly #numberings = new Map<string, Numbering>()
  #list: List | undefined
  #numbering: Numbering | undefined
  #override: Override | undefined
  #level: Level | undefined
  #fallbacks = 0

  open(name: string, attributes: XmlAttributes): void {
    if (name === "Fallback") this.#fallbacks++
    if (this.#fallbacks > 0) return
    // The second names are those of Word 2003.
    if (name === "abstractNum" || name === "listDef") {
      this.#list = { levels: new Map(), linkedStyle: undefined, counts: [] }
      this.#lists.set(
        attribute(attributes, "abstractNumId") ?? attribute(attributes, "listDefId") ?? "",
        this.#list,
      )
    } else if (name === "num" || name === "list") {
      this.#numbering = { list: "", overrides: new Map(), started: new Set() }
      this.#numberings.set(
        attribute(attributes, "numId") ?? attribute(attributes, "ilfo") ?? "",
        this.#numbering,
      )
    } else if (this.#level) describeLevel(this.#level, name, attributes)
    else if (this.#list ?? this.#numbering) this.#define(name, attributes)
  }

  close(name: string): void {
    if (name === "Fallback") this.#fallbacks--
    else if (this.#fallbacks > 0) return
    else if (name === "lvl") this.#level = undefined
    else if (name === "lvlOverride") this.#override = undefined
    else if (name === "abstractNum" || name === "listDef") this.#list = undefined
    else if (name === "num" || name === "list") this.#numbering = undefined
  }

  #define(name: string, attributes: XmlAttributes): void {
    const value = attribute(attributes, "val") ?? ""
    const index = Number(attribute(attributes, "ilvl"))
    if (name === "abstractNumId" || name === "ilst") {
      if (this.#numbering) this.#numbering.list = value
    } else if (name === "numStyleLink" && this.#list) this.#list.linkedStyle = value
    else if (name === "styleLink" && this.#list) this.#listOfStyle.set(value, this.#list)
    else if (name === "lvlOverride") {
      this.#override = {}
      this.#numbering?.overrides.set(index, this.#override)
    } else if (name === "startOverride") {
      if (this.#override) this.#override.start = getNumber(value)
    } else if (name === "lvl" && index >= 0 && index < maxLevels) {
      this.#level = createLevel()
      if (this.#override) this.#override.level = this.#level
      else this.#list?.levels.set(index, this.#level)
    }
  }

  /** Returns the level of a numbering that belongs to a paragraph style. */
  getLevel(numberingId: string, style: string): number | undefined {
    const levels = this.#find(this.#numberings.get(numberingId))?.levels ?? []
    for (const [index, level] of levels) if (level.style === style) return index
    return undefined
  }

  /** Counts a paragraph and returns what precedes its text: its number, a bullet, or nothing. */
  count(numberingId: string, index: number): string {
    const numbering = this.#numberings.get(numberingId)
    const list = this.#find(numbering)
    if (!numbering || !list) return bullet
    const getLevel = (at: number) => numbering.overrides.get(at)?.level ?? list.levels.get(at)
    const level = getLevel(index)
    if (!level) return ""
    this.#advance(numbering, list.counts, index, getLevel)
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
    return level.suffix === "nothing" ? label : `${label} `
  }

  #advance(
    numbering: Numbering,
    counts: List["counts"],
    index: number,
    getLevel: (index: number) => Level | undefined,
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

  #find(numbering: Numbering | undefined): List | undefined {
    let list = this.#lists.get(numbering?.list ?? "")
    for (let step = 0; list?.linkedStyle !== undefined && step < maxLinks; step++) {
      const linked = this.#listOfStyle.get(list.linkedStyle)
      if (!linked || linked === list) break
      list = linked
    }
    return list
  }
}

function createLevel(): Level {
  return {
    start: 1,
    format: "decimal",
    examples: "",
    text: "",
    suffix: "tab",
    restart: undefined,
    isLegal: false,
    style: undefined,
  }
}

const oldFormats: Record<string, string> = {
  1: "upperRoman",
  2: "lowerRoman",
  3: "upperLetter",
  4: "lowerLetter",
  5: "ordinal",
  22: "decimalZero",
  23: "bullet",
  255: "none",
}

const levelNames = new Set(["start", "numFmt", "nfc", "lvlText", "suff", "lvlRestart", "isLgl", "pStyle"])

function describeLevel(level: Level, name: string, attributes: XmlAttributes): void {
  if (!levelNames.has(name)) return
  const value = attribute(attributes, "val") ?? ""
  if (name === "start") level.start = getNumber(value)
  else if (name === "numFmt") {
    level.format = value
    level.examples = attribute(attributes, "format") ?? ""
  } else if (name === "nfc") level.format = oldFormats[value] ?? "decimal"
  else if (name === "lvlText") level.text = value.slice(0, maxTextLength)
  else if (name === "suff") level.suffix = value.toLowerCase()
  else if (name === "lvlRestart") level.restart = getNumber(value)
  else if (name === "isLgl") level.isLegal = !/^(0|false|off)$/.test(value)
  else if (name === "pStyle") level.style = value
}

function getNumber(value: string): number {
  const number = Number(value)
  return number >= 0 && number < 2 ** 31 ? Math.floor(number) : 1
}
