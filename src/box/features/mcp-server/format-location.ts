import type { Location } from "../../../shared/contract/location.ts"

/** A passage's location in words for a model: `page 3`, `sheet Costs, row 4`. Empty if nothing is known. */
export function formatLocation({ page, slide, sheet, row, line, heading }: Location): string {
  const parts = [
    page !== undefined && `page ${page}`,
    slide !== undefined && `slide ${slide}`,
    sheet !== undefined && `sheet ${sheet}`,
    row !== undefined && `row ${row}`,
    line !== undefined && row === undefined && `line ${line}`,
    heading !== undefined && `under “${heading}”`,
  ]
  return parts.filter((part) => part !== false).join(", ")
}
