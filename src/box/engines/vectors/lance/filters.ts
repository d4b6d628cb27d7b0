import { requireId, type IdRange } from "../passage-record.ts"

/** Returns an SQL list of ids. Only UUIDs are accepted, so nothing else can reach a filter. */
export function idList(ids: string[]): string {
  return ids.map((id) => `'${requireId(id)}'`).join(", ")
}

/** Returns an SQL list of ids from the database, which may contain any text. */
export function quotedList(ids: string[]): string {
  return ids.map(quoted).join(", ")
}

/** Returns an SQL condition for this id and all later ones. */
export function fromId(first: string): string {
  return `id >= ${quoted(first)}`
}

/** Returns the range as an SQL condition. */
export function idRangeFilter({ after, upTo }: IdRange): string {
  return [
    ...(after === undefined ? [] : [`id > ${quoted(after)}`]),
    ...(upTo === undefined ? [] : [`id <= ${quoted(upTo)}`]),
  ].join(" AND ")
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
