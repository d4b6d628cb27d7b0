import type { Passage } from "../../shared/contract/folders.ts"
import { describeLocation } from "../../shared/words/location-words.ts"
import { TerminalError } from "../core/terminal-error.ts"

// Text from models, documents and servers is untrusted. A terminal executes some characters as commands, and others change the direction of
// reading.

const space = 0x20
/** Symbols for the control characters below the space. */
const firstSign = 0x2400
/** C0 except tab and line feed, DEL, C1, bidirectional controls, and line breaks that aren't universal. */
// oxlint-disable-next-line no-control-regex -- they are what this is about
const commanding = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Returns multi-line text in which characters that a terminal would act on are replaced by symbols. */
export const plainText = (text: string): string =>
  text.replaceAll("\r", "").replaceAll(commanding, (character) => {
    const code = character.charCodeAt(0)
    return code < space ? String.fromCharCode(firstSign + code) : "\ufffd"
  })

/** Does the same for names and other single-line text. */
export const plainLine = (text: string): string => plainText(text.replaceAll(/[\r\n\t]+/g, " "))

/** Whether the text is a single line without characters that a terminal would act on. */
export const isPlain = (text: string): boolean => plainLine(text) === text

/** Returns JSON with the same meaning for programs and without characters that a terminal would act on. */
export const plainJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll(
    commanding,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )

/** Formats the lines of a table: columns for people, tab-separated for programs. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const plain = rows.map((row) => row.map(plainLine))
  if (!process.stdout.isTTY) return plain.map((row) => row.join("\t"))
  const widths: number[] = []
  for (const row of plain)
    row.forEach((cell, index) => (widths[index] = Math.max(widths[index] ?? 0, cell.length)))
  return plain.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  )
}

/** The lines of a list: the items as JSON for programs that ask for it, otherwise a table. */
export const printList = <T>(
  { json }: { json?: boolean | undefined },
  items: readonly T[],
  toRow: (item: T) => string[],
): string[] => (json === true ? [plainJson(items)] : columns(items.map(toRow)))

/** Maximum size of piped input. */
const maxBytes = 16_000_000

/** Returns all piped input as text. Throws the reason of `stopped`, and `validation` if the input isn't text or is too large. */
export async function readPiped(stopped: AbortSignal): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  const end = () => process.stdin.destroy(stopped.reason as Error)
  stopped.addEventListener("abort", end, { once: true })
  try {
    for await (const part of process.stdin) {
      bytes += (part as Buffer).length
      if (bytes > maxBytes)
        throw new TerminalError(
          "validation",
          "This is too long for a question. Upload it to a folder, then ask about it.",
        )
      parts.push(part as Buffer)
    }
  } finally {
    stopped.removeEventListener("abort", end)
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts))
  } catch {
    throw new TerminalError(
      "validation",
      "The piped input isn't UTF-8 text. Upload documents to a folder, then ask about it.",
    )
  }
}

const eraseLine = "\r\u001b[K"

/** Messages for the user that accompany an answer, on stderr. */
export interface StatusLine {
  /** Prints a line that stays. */
  say(text: string): void
  /** Shows the current activity in place of the previous one. Only terminals show it. */
  doing(text: string): void
  /** Clears the current activity. */
  done(): void
}

/** `shows`: whether the current activity may be drawn. */
export function createStatusLine(shows: boolean): StatusLine {
  let drawn = ""
  const done = () => {
    if (drawn !== "") process.stderr.write(eraseLine)
    drawn = ""
  }
  return {
    say(text) {
      done()
      process.stderr.write(`${plainText(text)}\n`)
    },
    doing(text) {
      if (!shows || text === drawn) return
      done()
      drawn = text
      process.stderr.write(plainLine(text).slice(0, Math.max(0, (process.stderr.columns ?? 80) - 1)))
    },
    done,
  }
}

/** Location of a passage: its file, then the position in the file. */
export const formatLocation = ({ fileName, location }: Pick<Passage, "fileName" | "location">): string =>
  plainLine([fileName, describeLocation(location)].filter((part) => part !== "").join(", "))
