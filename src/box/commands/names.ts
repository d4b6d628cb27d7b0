import type { AppError } from "../../shared/contract/errors.ts"
import { TerminalError } from "../core/terminal-error.ts"
import { plainLine } from "./terminal/plain-text.ts"

/** Something that users name on the command line. */
export interface Named {
  id: string
  name: string
}

const maxSuggested = 3

/**
 * Returns the item with this ID, or with this name in any case.
 * @throws AppError `not_found` with the nearest names, `conflict` if several items have the name
 */
export function findByName<T extends Named>(what: string, given: string, all: readonly T[]): T {
  const lower = given.toLowerCase()
  const byId = all.find(({ id }) => id === given)
  if (byId) return byId
  for (const fits of [({ name }: T) => name === given, ({ name }: T) => name.toLowerCase() === lower]) {
    const found = all.filter(fits)
    if (found.length > 1) throw ambiguous(what, given, found)
    if (found[0]) return found[0]
  }
  const near = nearest(lower, all)
  const advice =
    near.length > 0
      ? `Did you mean ${near.map(({ name }) => `"${plainLine(name)}"`).join(" or ")}?`
      : `There is none at all.`
  throw new TerminalError("not_found", `There is no ${what} "${plainLine(given)}". ${advice}`)
}

function ambiguous(what: string, given: string, found: readonly Named[]): AppError {
  const ids = found.map(({ id }) => `\n  ${plainLine(id)}`).join("")
  return new TerminalError(
    "conflict",
    `Several have the name "${plainLine(given)}". Name the ${what} by its id:${ids}`,
  )
}

/** Names that contain the text come first, then the rest by the number of characters that differ. */
function nearest<T extends Named>(lower: string, all: readonly T[]): T[] {
  const distance = ({ name }: T) =>
    name.toLowerCase().includes(lower) ? -1 : editDistance(lower, name.toLowerCase().slice(0, 100))
  return all
    .map((each) => ({ each, far: distance(each) }))
    .toSorted((a, b) => a.far - b.far)
    .slice(0, maxSuggested)
    .map(({ each }) => each)
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
