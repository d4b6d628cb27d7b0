import type { DocumentUnits } from "./document-units.ts"
import type { ReadRange } from "./read-range.ts"

const shownNames = 200

/** Describes to a model which part of a file was read, and the file's total. `next` says how to continue. */
export function describeRange(name: string, { units, read }: ReadRange, from: number): string {
  const file = `“${name.slice(0, shownNames)}”`
  if (units.last === 0) return `${file} holds no text.`
  const all = `${units.last} ${units.unit}${units.last === 1 ? "" : "s"}${getNames(units)}`
  if (read === null)
    return `There is no ${units.unit} ${from} with text in ${file}, which has ${all}. Give a smaller from.`
  const what = read.from === read.to ? `${units.unit} ${read.from}` : `${units.unit}s ${read.from}–${read.to}`
  return `${file}: ${what} of ${all}.`
}

/** Describes how to continue if a range was cut; empty if all of it was read. */
export const describeNext = ({ next }: ReadRange): string =>
  next === null ? "" : `More follows: go on with from: "${next}".`

function getNames({ sheets }: DocumentUnits): string {
  if (sheets.length === 0) return ""
  const names = sheets.join(", ")
  return ` (${names.length > shownNames ? `${names.slice(0, shownNames)}…` : names})`
}
