import type { Passage } from "../../shared/contract/folders.ts"
import { plainLine } from "./terminal/plain-text.ts"

/** Location of a passage: its file, then the position in the file. */
export function formatLocation({ fileName, location }: Pick<Passage, "fileName" | "location">): string {
  const { page, slide, sheet, row, line, heading } = location
  const places = [
    page !== undefined && `page ${page}`,
    slide !== undefined && `slide ${slide}`,
    sheet,
    row !== undefined && `row ${row}`,
    line !== undefined && `line ${line}`,
    heading,
  ]
  return plainLine(
    [fileName, ...places.filter((place) => typeof place === "string" && place !== "")].join(", "),
  )
}
