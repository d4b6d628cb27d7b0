import { bullet } from "../text/list-numbers.ts"
import {
  countParagraph,
  createLevel,
  createList,
  createNumbering,
  maxLevels,
  storedFormats,
  type LevelOverride,
  type List,
  type ListLevel,
  type Numbering,
} from "../text/numbered-lists.ts"
import { attribute, type XmlAttributes, type XmlHandler } from "../xml/xml-events.ts"

interface WordList extends List {
  /** The list style whose levels are used instead. */
  linkedStyle: string | undefined
}

interface WordNumberingUse extends Numbering {
  list: string
}

const maxTextLength = 200
const maxLinks = 10
/** Reads numbering definitions and counts the paragraphs that use them (ECMA-376 part 1, 17.9). */
export class WordNumbering implements XmlHandler {
  readonly #lists = new Map<string, WordList>()
  readonly #listOfStyle = new Map<string, WordList>()
  readonly #numberings = new Map<string, WordNumberingUse>()
  #list: WordList | undefined
  #numbering: WordNumberingUse | undefined
  #override: LevelOverride | undefined
  #level: ListLevel | undefined
  #fallbacks = 0

  open(name: string, attributes: XmlAttributes): void {
    if (name === "Fallback") this.#fallbacks++
    if (this.#fallbacks > 0) return
    // The second names are those of Word 2003.
    if (name === "abstractNum" || name === "listDef") {
      this.#list = { ...createList(), linkedStyle: undefined }
      this.#lists.set(
        attribute(attributes, "abstractNumId") ?? attribute(attributes, "listDefId") ?? "",
        this.#list,
      )
    } else if (name === "num" || name === "list") {
      this.#numbering = { ...createNumbering(), list: "" }
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
    return numbering && list ? countParagraph(list, numbering, index) : bullet
  }

  #find(numbering: WordNumberingUse | undefined): WordList | undefined {
    let list = this.#lists.get(numbering?.list ?? "")
    for (let step = 0; list?.linkedStyle !== undefined && step < maxLinks; step++) {
      const linked = this.#listOfStyle.get(list.linkedStyle)
      if (!linked || linked === list) break
      list = linked
    }
    return list
  }
}

const levelNames = new Set(["start", "numFmt", "nfc", "lvlText", "lvlRestart", "isLgl", "pStyle"])

function describeLevel(level: ListLevel, name: string, attributes: XmlAttributes): void {
  if (!levelNames.has(name)) return
  const value = attribute(attributes, "val") ?? ""
  if (name === "start") level.start = getNumber(value)
  else if (name === "numFmt") {
    level.format = value
    level.examples = attribute(attributes, "format") ?? ""
  } else if (name === "nfc") level.format = storedFormats[Number(value)] ?? "decimal"
  else if (name === "lvlText") level.text = value.slice(0, maxTextLength)
  else if (name === "lvlRestart") level.restart = getNumber(value)
  else if (name === "isLgl") level.isLegal = !/^(0|false|off)$/.test(value)
  else if (name === "pStyle") level.style = value
}

function getNumber(value: string): number {
  const number = Number(value)
  return number >= 0 && number < 2 ** 31 ? Math.floor(number) : 1
}
