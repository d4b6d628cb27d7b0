/** What of a table, or of what a SELECT answers, is shown, and in which order. */
export interface View {
  /** A SELECT; what is chosen below is put around it. */
  base: string
  /** Names of its columns, where they are known. */
  columns: readonly string[]
  filter: string
  sort: { column: string; descending: boolean } | undefined
}

const name = (column: string): string => `"${column.replaceAll('"', '""')}"`
const text = (value: string): string => `'${value.replaceAll("'", "''")}'`

export const selectAll = (table: string): string => `SELECT * FROM ${name(table)}`

/** The SELECT that shows the rows. */
export function rowsSql(view: View): string {
  const { base, sort } = view
  const condition = conditionOf(view)
  if (condition === undefined && !sort) return base
  return [
    "SELECT *",
    sourceOf(base),
    ...(condition === undefined ? [] : [condition]),
    ...(sort ? [`ORDER BY ${name(sort.column)}${sort.descending ? " DESC" : ""}`] : []),
  ].join("\n")
}

/** The SELECT that counts the column's values and, where they are numbers, adds them up. */
export function factsSql(view: View, column: string, isNumber: boolean): string {
  const condition = conditionOf(view)
  const it = name(column)
  return [
    `SELECT count(${it})${isNumber ? `, sum(${it}), avg(${it})` : ""}`,
    sourceOf(view.base),
    ...(condition === undefined ? [] : [condition]),
  ].join("\n")
}

/** A whole table by its name, anything else in parentheses; what ends it would end what is around it, too. */
function sourceOf(base: string): string {
  const table = /^SELECT \* FROM ("(?:[^"]|"")+")$/.exec(base)?.[1]
  return `FROM ${table ?? `(\n${base.trim().replace(/;\s*$/, "")}\n)`}`
}

/** Rows with the words anywhere in them. */
function conditionOf({ filter, columns }: View): string | undefined {
  const wanted = filter.trim()
  if (wanted === "" || columns.length === 0) return undefined
  const pattern = text(`%${wanted.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`)
  const matches = columns.map(
    (column) => String.raw`CAST(${name(column)} AS TEXT) LIKE ${pattern} ESCAPE '\'`,
  )
  return `WHERE ${matches.join("\n  OR ")}`
}

/** What a click on a column's head does: it sorts by it, then the other way round, then as before. */
export function nextSort(sort: View["sort"], column: string): View["sort"] {
  if (sort?.column !== column) return { column, descending: false }
  return sort.descending ? undefined : { column, descending: true }
}
