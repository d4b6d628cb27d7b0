import { failure } from "../parser.ts"
import type { Block } from "../parser.ts"
import { LineBlock } from "../text/line-block.ts"
import type { Line } from "../text/read-lines.ts"
import type { JsonEvents } from "./json-scanner.ts"

const maxDepth = 10_000
/** Of a deep path the end says more than the beginning. */
const maxPathCharacters = 200
/** Elements of a list stay together in one block until it has this many characters. */
const comfortableCharacters = 500

/** Short values of a list share a line up to this length. */
const listCharacters = 500

interface Level {
  array: boolean
  path: string
  /** Name of the current member of an object. */
  key: string | undefined
  /** Place of the current element of an array. */
  index: number
}

/** Turns JSON tokens into lines that carry the path of each value, and these into blocks. */
export class JsonOutline implements JsonEvents {
  readonly blocks: Block[] = []
  readonly #lines = new LineBlock()
  #level: Level = { array: true, path: "", key: undefined, index: 0 }
  readonly #outer: Level[] = []
  /** The line that the next element of the same list may join. */
  #list: { level: Level; line: Line } | undefined
  /** The part of a long string that came last goes on. */
  #continues = false

  open(array: boolean): void {
    if (this.#outer.length > maxDepth) throw failure("json_too_deep")
    const path = this.#path()
    this.#outer.push(this.#level)
    this.#level = { array, path, key: undefined, index: 0 }
  }

  close(): void {
    this.#level = this.#outer.pop() ?? this.#level
    this.#level.key = undefined
    if (this.#outer.length <= 1 && this.#lines.length >= comfortableCharacters) this.end()
  }

  comma(): void {
    this.#level.key = undefined
    this.#level.index++
  }

  scalar(text: string, line: number, continues: boolean): void {
    const level = this.#level
    if (!level.array && level.key === undefined) {
      if (!continues) level.key = text
      return
    }
    this.#addValue({ text: text.trim(), number: line, continues })
    this.#continues = continues
    if (!continues) level.key = undefined
  }

  /** Ends the block that is being gathered. */
  end(): void {
    this.#endList()
    this.#endBlock()
  }

  #addValue(value: Line): void {
    const level = this.#level
    const joins =
      this.#list?.level === level && this.#list.line.text.length + value.text.length < listCharacters
    if (this.#list && joins && !value.continues) {
      this.#list.line.text += `, ${value.text}`
      return
    }
    this.#endList()
    const path = this.#continues ? "" : level.array ? level.path : this.#path()
    const line = { ...value, text: path === "" ? value.text : `${path}: ${value.text}` }
    if (level.array && !value.continues && !this.#continues) this.#list = { level, line }
    else this.#addLine(line)
  }

  #endList(): void {
    if (this.#list) this.#addLine(this.#list.line)
    this.#list = undefined
  }

  #addLine(line: Line): void {
    if (this.#lines.overflows(line)) this.#endBlock()
    this.#lines.add(line)
  }

  #endBlock(): void {
    const block = this.#lines.take("paragraph")
    if (block) this.blocks.push(block)
  }

  /** Path of the current member or element. */
  #path(): string {
    const { array, path, key = "", index } = this.#level
    const member = path === "" ? key : `${path}.${key}`
    const element = this.#outer.length === 0 ? "" : `${path}[${index}]`
    return (array ? element : member).slice(-maxPathCharacters)
  }
}
