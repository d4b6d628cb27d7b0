import type { FileFilter } from "../../shared/contract/file-filter.ts"

/** The words before a colon that mean a condition, in every language of the interface: a search may be typed in any of them. */
const fields: Record<string, keyof FileFilter> = {
  type: "types",
  typ: "types",
  tipo: "types",
  tag: "tags",
  schlagwort: "tags",
  etichetta: "tags",
  after: "from",
  nach: "from",
  dopo: "from",
  before: "to",
  vor: "to",
  prima: "to",
  in: "path",
  from: "people",
  von: "people",
  da: "people",
}

/** A quoted phrase, or a word with a colon and its value, which may be quoted. */
const pieces =
  /"[^"]*"|[“„][^“”]*[“”]|«[^»]*»|(?<!\S)(?<field>\p{L}+):(?:"(?<quoted>[^"]+)"|[“„](?<curly>[^“”]+)[“”]|(?<plain>[^\s"“„«:][^\s"]*))(?=(?<after>\s?))(?!\S)/gu

const day = (date: Date) => date.toISOString().slice(0, 10)

/** Returns the first day of a year, a month or a day such as `2024`, `2024-05` or `2024-05-01`. */
function parseDay(text: string): Date | undefined {
  const found = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/.exec(text)
  if (!found) return undefined
  const [, year, month = "1", number = "1"] = found
  const date = new Date(`${year}-${month.padStart(2, "0")}-${number.padStart(2, "0")}T00:00:00Z`)
  return Number.isNaN(date.getTime()) || date.getUTCDate() !== Number(number) ? undefined : date
}

const moveDay = (date: Date, days: number) => new Date(date.getTime() + days * 86_400_000)

/** Returns the condition that a word with a colon means; undefined if it is only text. */
function toCondition(field: keyof FileFilter, value: string): FileFilter | undefined {
  switch (field) {
    case "types": {
      const types = value.toLowerCase().split(",")
      return types.every((type) => /^\.?[\p{L}\p{N}_+-]{1,16}$/u.test(type)) ? { types } : undefined
    }
    case "tags":
      return value.length <= 40 ? { tags: [value] } : undefined
    case "people":
      return value.length <= 200 ? { people: [value] } : undefined
    case "path": {
      const path = value.replace(/^\/+|\/+$/g, "")
      if (path === "" || path.length > 400 || /[[\]{}\\]|(?:^|\/)\.\.?(?:\/|$)/.test(path)) return undefined
      return { path: /[*?]/.test(path) ? path : `**/${path}/**` }
    }
    case "from":
    case "to": {
      const date = parseDay(value)
      if (!date) return undefined
      return field === "from" ? { from: day(date) } : { to: day(moveDay(date, -1)) }
    }
  }
}

/** Joins conditions: lists grow, and a later day or path replaces the earlier one. */
function join(one: FileFilter, other: FileFilter): FileFilter {
  const joined: FileFilter = { ...one, ...other }
  for (const list of ["types", "tags", "people"] as const) {
    const values = [...new Set([...(one[list] ?? []), ...(other[list] ?? [])])]
    if (values.length > 0) joined[list] = values.slice(0, 50)
  }
  return joined
}

/**
 * Takes conditions such as `type:pdf` or `from:"Anna Rossi"` out of a search text and adds them to a filter. A condition at the end is still
 * being typed, so it is taken only if `isDone`. Quoted phrases, and words with a colon that mean nothing here, stay in the text.
 */
export function takeConditions(
  text: string,
  filter: FileFilter,
  { isDone }: { isDone: boolean },
): { text: string; filter: FileFilter } {
  let taken = filter
  const rest = text.replaceAll(pieces, (piece: string, ...values: unknown[]) => {
    const { field = "", quoted, curly, plain, after } = values.at(-1) as Record<string, string | undefined>
    const name = field.toLowerCase()
    const value = (quoted ?? curly ?? plain ?? "").trim()
    if (!Object.hasOwn(fields, name) || value === "" || (!isDone && after === "")) return piece
    const condition = toCondition(fields[name] ?? "types", value)
    if (!condition) return piece
    taken = join(taken, condition)
    return ""
  })
  return taken === filter ? { text, filter } : { text: rest.replace(/^\s+|(?<=\s)\s+/g, ""), filter: taken }
}

/** One condition of a filter, which can be removed by itself. */
export interface Condition {
  field: keyof FileFilter
  /** The entry of the list, or the whole condition. */
  value: string
  /** As it was typed. */
  shown: string
}

/** Lists the conditions of a filter. */
export function listConditions(filter: FileFilter): Condition[] {
  const { from, to, path } = filter
  const inLists = (["types", "tags", "people"] as const).flatMap((field) =>
    (filter[field] ?? []).map((value) => ({ field, value, shown: value })),
  )
  const before = to === undefined ? "" : day(moveDay(new Date(to), 1))
  return [
    ...inLists,
    ...(from === undefined ? [] : [{ field: "from" as const, value: from, shown: from }]),
    ...(to === undefined ? [] : [{ field: "to" as const, value: to, shown: before }]),
    ...(path === undefined
      ? []
      : [{ field: "path" as const, value: path, shown: getDirectory(path) ?? path }]),
  ]
}

/** Returns the filter without one condition. */
export function removeCondition(filter: FileFilter, { field, value }: Condition): FileFilter {
  const { [field]: current, ...rest } = filter
  const left = Array.isArray(current) ? current.filter((each) => each !== value) : []
  return left.length > 0 ? { ...rest, [field]: left } : rest
}

/** Returns the filter without its last condition. */
export function withoutLast(filter: FileFilter): FileFilter {
  const last = listConditions(filter).at(-1)
  return last ? removeCondition(filter, last) : filter
}

export const isNarrowed = (filter: FileFilter): boolean => listConditions(filter).length > 0

/** The directory that `in:` named. */
const getDirectory = (path: string): string | undefined => /^\*\*\/([^*?]+)\/\*\*$/.exec(path)?.[1]

/** `in:` may name a folder instead of a directory inside one. If so, only that folder is searched, all of it. */
export function splitFolders(
  filter: FileFilter,
  folders: readonly { id: string; name: string }[],
): { filter: FileFilter; folderIds: string[] | undefined } {
  const name = getDirectory(filter.path ?? "")?.toLowerCase()
  const named = folders.filter((folder) => folder.name.toLowerCase() === name).map(({ id }) => id)
  if (named.length === 0) return { filter, folderIds: undefined }
  const { path: _, ...rest } = filter
  return { filter: rest, folderIds: named }
}
