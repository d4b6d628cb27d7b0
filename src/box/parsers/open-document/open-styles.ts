import type { Shift } from "../text/linear-math.ts"
import { bullet, formatNumber } from "../text/list-numbers.ts"
import { attribute, type XmlAttributes, type XmlHandler } from "../xml/xml-events.ts"

interface Level {
  isBullet: boolean
  format: string
  prefix: string
  suffix: string
  /** Number of levels that the number shows. */
  shown: number
  start: number
  /** Replaces the prefix, suffix and shown levels: `%1%.%2%`. */
  pattern: string | undefined
}

type ListStyle = Map<number, Level>

interface TextStyle {
  parent: string | undefined
  listStyle: string | undefined
  hidden: boolean | undefined
  /** `none`: on the line. */
  shift: Shift | "none"
}

/** Numbers of a list's levels so far. */
export type ListCounts = (number | undefined)[]

const maxInheritance = 10
const maxLevels = 10
const levelNames = new Set([
  "list-level-style-number",
  "list-level-style-bullet",
  "list-level-style-image",
  "outline-level-style",
])

/** Reads which styles hide text and how lists and headings are numbered (ODF 1.3 part 3, 16). */
export class OpenStyles implements XmlHandler {
  readonly #styles = new Map<string, TextStyle>()
  readonly #lists = new Map<string, ListStyle>()
  #outline: ListStyle = new Map()
  #style: TextStyle | undefined
  #list: ListStyle | undefined

  open(name: string, attributes: XmlAttributes): void {
    const get = (key: string) => attribute(attributes, key)
    if (name === "style") {
      const [parent, listStyle] = [get("parent-style-name"), get("list-style-name")]
      this.#style = { parent, listStyle, hidden: undefined, shift: undefined }
      this.#styles.set(`${get("family") ?? ""} ${getStyleName(attributes)}`, this.#style)
    } else if (name === "text-properties") {
      const display = get("display")
      if (this.#style && display !== undefined) this.#style.hidden = display === "none"
      const position = get("text-position")
      if (this.#style && position !== undefined) this.#style.shift = getShift(position) ?? "none"
    } else if (name === "drawing-page-properties") {
      const visibility = get("visibility")
      if (this.#style && visibility !== undefined) this.#style.hidden = visibility === "hidden"
    } else if (name === "list-style") {
      this.#list = new Map()
      this.#lists.set(getStyleName(attributes), this.#list)
    } else if (name === "outline-style") this.#list = this.#outline = new Map()
    else if (levelNames.has(name)) this.#list?.set(Number(get("level")), readLevel(name, attributes))
  }

  close(name: string): void {
    if (name === "style") this.#style = undefined
    else if (name === "list-style" || name === "outline-style") this.#list = undefined
  }

  /** Whether a style hides text or a slide; undefined if it doesn't say. */
  isHidden(family: "paragraph" | "text" | "drawing-page", name: string | undefined): boolean | undefined {
    return this.#find(family, name, ({ hidden }) => hidden)
  }

  /** Returns how a style shifts text. */
  getShift(name: string | undefined): Shift {
    const shift = this.#find("text", name, (style) => style.shift)
    return shift === "none" ? undefined : shift
  }

  /** Returns the list style of a paragraph style; empty if its paragraphs have no numbers. */
  getListStyle(paragraphStyle: string | undefined): string | undefined {
    return this.#find("paragraph", paragraphStyle, ({ listStyle }) => listStyle)
  }

  /**
   * Counts a paragraph and returns what precedes its text: its number, a bullet, or nothing.
   * @param style a list style; undefined for the numbers of headings
   * @param level from 1
   * @param start the number with which the list continues
   */
  count(style: string | undefined, counts: ListCounts, level: number, start: number | undefined): string {
    const levels = style === undefined ? this.#outline : this.#lists.get(style)
    const own = levels?.get(level)
    if (level > maxLevels || !levels || !own) return style === undefined ? "" : bullet
    const before = counts[level]
    counts[level] = start ?? (before === undefined ? own.start : before + 1)
    for (let above = 1; above < level; above++) counts[above] ??= levels.get(above)?.start ?? 1
    counts.length = level + 1
    if (own.isBullet) return bullet
    const number = (at: number) => formatNumber(counts[at] ?? 1, getFormat(levels.get(at)?.format ?? ""))
    if (own.format === "") return ""
    const label = own.pattern?.replace(/%(\d{1,2})%/g, (_, at: string) => number(Number(at)))
    return `${(label ?? own.prefix + joinLevels(level, own.shown, number) + own.suffix).trim()} `
  }

  #find<Value>(
    family: string,
    name: string | undefined,
    get: (style: TextStyle) => Value | undefined,
  ): Value | undefined {
    let next = name
    for (let step = 0; next !== undefined && step < maxInheritance; step++) {
      const style = this.#styles.get(`${family} ${next}`)
      if (!style) return undefined
      const value = get(style)
      if (value !== undefined) return value
      next = style.parent
    }
    return undefined
  }
}

/** Returns how text at a position is shifted, such as `super 58%` or `-33% 58%`. */
export function getShift(position: string): Shift {
  const start = /^(?:super|sub|-?[1-9])/.exec(position.trim())?.[0]
  if (start === undefined) return undefined
  return start.startsWith("-") || start === "sub" ? "lowered" : "raised"
}

/** Other attributes also end in `name`, but only this one is a style's own. */
function getStyleName(attributes: XmlAttributes): string {
  return attribute(attributes, "name") ?? ""
}

function readLevel(name: string, attributes: XmlAttributes): Level {
  const get = (key: string) => attribute(attributes, key)
  return {
    isBullet: name.endsWith("bullet") || name.endsWith("image"),
    format: get("num-format") ?? "",
    prefix: get("num-prefix") ?? "",
    suffix: get("num-suffix") ?? "",
    shown: Number(get("display-levels") ?? 1),
    start: Number(get("start-value") ?? 1) || 0,
    pattern: get("num-list-format"),
  }
}

function joinLevels(level: number, shown: number, number: (level: number) => string): string {
  const numbers: string[] = []
  for (let at = Math.max(1, level - shown + 1); at <= level; at++) numbers.push(number(at))
  return numbers.filter((each) => each !== "").join(".")
}

const formats: Record<string, string> = {
  "": "none",
  a: "lowerLetter",
  A: "upperLetter",
  i: "lowerRoman",
  I: "upperRoman",
}
/** Starts of formats that are written as a row of examples. */
const exampleFormats: readonly [string, string][] = [
  ["1st", "ordinal"],
  ["01", "decimalZero"],
  ["One", "cardinalText"],
  ["First", "ordinalText"],
  ["①", "decimalEnclosedCircle"],
  ["一", "japaneseCounting"],
]

function getFormat(format: string): string {
  return formats[format] ?? exampleFormats.find(([start]) => format.startsWith(start))?.[1] ?? "decimal"
}
