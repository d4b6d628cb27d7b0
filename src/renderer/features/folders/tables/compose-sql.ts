/** Which rows of a table or SELECT are shown, and in which order. */
export interface View {
  /** A SELECT, which the filter and the order are wrapped around. */
  base: string
  /** Names of its columns, if known. */
  columns: readonly string[]
  filter: string
  sort: { column: string; descending: boolean } | undefined
}

const name = (column: string): string => `"${column.replaceAll('"', '""')}"`
const text = (value: string): string => `'${value.replaceAll("'", "''")}'`

export const selectAll = (table: string): string => `SELECT * FROM ${name(table)}`

/** Returns the SELECT for the rows. */
export function rowsSql(view: View): string {
  const { base, sort } = view
  const condition = buildCondition(view)
  if (condition === undefined && !sort) return base
  return [
    "SELECT *",
    getSource(base),
    ...(condition === undefined ? [] : [condition]),
    ...(sort ? [`ORDER BY ${name(sort.column)}${sort.descending ? " DESC" : ""}`] : []),
  ].join("\n")
}

/** Returns the SELECT that counts the column's values and, if they are numbers, sums and averages them. */
export function factsSql(view: View, column: string, isNumber: boolean): string {
  const condition = buildCondition(view)
  const it = name(column)
  return [
    `SELECT count(${it})${isNumber ? `, sum(${it}), avg(${it})` : ""}`,
    getSource(view.base),
    ...(condition === undefined ? [] : [condition]),
  ].join("\n")
}

/** A whole table by name, any other SELECT in parentheses. A final semicolon is removed, because it would end the outer statement. */
function getSource(base: string): string {
  const table = /^SELECT \* FROM ("(?:[^"]|"")+")$/.exec(base)?.[1]
  return `FROM ${table ?? `(\n${base.trim().replace(/;\s*$/, "")}\n)`}`
}

/** A condition for rows that contain the filter text in any column. */
function buildCondition({ filter, columns }: View): string | undefined {
  const wanted = filter.trim()
  if (wanted === "" || columns.length === 0) return undefined
  const pattern = text(`%${wanted.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`)
  const matches = columns.map(
    (column) => String.raw`CAST(${name(column)} AS TEXT) LIKE ${pattern} ESCAPE '\'`,
  )
  return `WHERE ${matches.join("\n  OR ")}`
}

/** Returns the order after a click on a column header: ascending, then descending, then unsorted. */
export function nextSort(sort: View["sort"], column: string): View["sort"] {
  if (sort?.column !== column) return { column, descending: false }
  return sort.descending ? undefined : { column, descending: true }
}
