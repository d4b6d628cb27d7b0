import { requireId, type IdRange } from "../passage-record.ts"

/** SQL list of ids. Only UUIDs pass, so nothing else can ever reach a filter. */
export function idList(ids: string[]): string {
  return ids.map((id) => `'${requireId(id)}'`).join(", ")
}

/** SQL list of ids from the database, which may hold anything. */
export function quotedList(ids: string[]): string {
  return ids.map(quoted).join(", ")
}

/** This id and all that are later. */
export function fromId(first: string): string {
  return `id >= ${quoted(first)}`
}

/** The range as SQL. */
export function inIdRange({ after, upTo }: IdRange): string {
  return [
    ...(after === undefined ? [] : [`id > ${quoted(after)}`]),
    ...(upTo === undefined ? [] : [`id <= ${quoted(upTo)}`]),
  ].join(" AND ")
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
