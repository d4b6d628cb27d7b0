import { createMemoryFile } from "../document/document-file.ts"
import type { Parser } from "../parser.ts"
import { readText } from "../text/text-encoding.ts"
import { json } from "./json.ts"
import { markdown } from "./markdown.ts"

/** Larger notebooks are read as JSON, which needs no tree in memory. */
const maxBytes = 2 ** 26

/** Reads Jupyter notebooks (nbformat 3 and 4): text and code cell by cell, with what the code printed. */
export const notebook: Parser = {
  async *parse(input, context) {
    let text = ""
    if (input.file.size <= maxBytes) for await (const chunk of readText(input.file, context)) text += chunk
    const cells = getCells(text)
    if (!cells) return yield* json.parse(input, context)
    const file = createMemoryFile(Buffer.from(cells.map(writeCell).join("\n\n")))
    for await (const block of markdown.parse({ ...input, file }, context)) {
      // Its lines aren't those of the file.
      const { line: _, ...location } = block.location
      yield { ...block, location }
    }
  },
}

type Fields = Readonly<Record<string, unknown>>

const toFields = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {}
const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Returns the cells; undefined if the text isn't a notebook. */
function getCells(text: string): readonly unknown[] | undefined {
  try {
    const { cells, worksheets } = toFields(JSON.parse(text))
    if (Array.isArray(cells)) return cells
    return Array.isArray(worksheets)
      ? worksheets.flatMap((sheet) => toList(toFields(sheet)["cells"]))
      : undefined
  } catch {
    return undefined
  }
}

/** Returns a text, which may be stored as a list of lines. */
function toText(value: unknown): string {
  if (typeof value === "string") return value
  return toList(value)
    .filter((line) => typeof line === "string")
    .join("")
}

const toLevel = (level: unknown): number =>
  typeof level === "number" ? Math.min(Math.max(Math.floor(level), 1), 6) : 1

/** Returns a cell as Markdown. */
function writeCell(cell: unknown): string {
  const { cell_type: type, source, input, outputs, level } = toFields(cell)
  const text = toText(source ?? input)
  if (type === "heading") return `${"#".repeat(toLevel(level))} ${text}`
  if (type !== "code") return text
  return [fence(text), ...toList(outputs).map(writeOutput)].join("\n\n")
}

function writeOutput(output: unknown): string {
  const { text, data, ename, evalue } = toFields(output)
  if (typeof ename === "string") return fence(`${ename}: ${toText(evalue)}`)
  if (text !== undefined) return fence(toText(text))
  const shown = toFields(data)
  const images = ["image/png", "image/jpeg"].flatMap((type) => {
    const base64 = toText(shown[type]).replaceAll(/\s+/g, "")
    return base64 === "" ? [] : [`![](data:${type};base64,${base64})`]
  })
  const formatted = toText(shown["text/markdown"])
  return [formatted === "" ? fence(toText(shown["text/plain"])) : formatted, ...images].join("\n\n")
}

// oxlint-disable-next-line no-control-regex -- terminals receive them
const colours = /\u001b\[[\d;]*m/g

/** Encloses text that isn't Markdown. */
function fence(text: string): string {
  const plain = text.replaceAll(colours, "")
  if (plain.trim() === "") return ""
  const longest = Math.max(2, ...Array.from(plain.matchAll(/`{3,}/g), ([ticks]) => ticks.length))
  const ticks = "`".repeat(longest + 1)
  return `${ticks}\n${plain}\n${ticks}`
}
