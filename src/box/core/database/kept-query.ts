import type { Compilable, CompiledQuery, QueryResult } from "kysely"

type Ask = { executeQuery<Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>> }

/**
 * A query that is built and compiled at its first use, and then reused with other texts for its `names`: building most queries takes longer
 * than SQLite needs to run them. `build` receives placeholders for the texts, and may only use them in comparisons.
 */
export function createPreparedQuery<const Name extends string, Row>(
  db: Ask,
  names: readonly Name[],
  build: (places: Record<Name, string>) => Compilable<Row>,
): (texts: Record<Name, string | Buffer>) => Promise<Row[]> {
  const nameByPlaceholder = new Map<unknown, Name>(names.map((name) => [`\0${name}`, name]))
  const places = Object.fromEntries(names.map((name) => [name, `\0${name}`])) as Record<Name, string>
  let compiled: CompiledQuery<Row> | undefined
  return async (texts) => {
    compiled ??= build(places).compile()
    const parameters = compiled.parameters.map((value) => {
      const name = nameByPlaceholder.get(value)
      return name === undefined ? value : texts[name]
    })
    return (await db.executeQuery<Row>({ ...compiled, parameters })).rows
  }
}
