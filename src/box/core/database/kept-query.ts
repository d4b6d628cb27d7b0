import type { Compilable, CompiledQuery, QueryResult } from "kysely"

type Ask = { executeQuery<Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>> }

/**
 * A query that is built and compiled when it is first asked, and from then on asked with other texts in the places of its `names`:
 * building one takes longer than SQLite takes to answer most. `build` gets what stands for each text, and may only compare with it.
 */
export function keptQuery<const Name extends string, Row>(
  db: Ask,
  names: readonly Name[],
  build: (places: Record<Name, string>) => Compilable<Row>,
): (texts: Record<Name, string | Buffer>) => Promise<Row[]> {
  const byPlace = new Map<unknown, Name>(names.map((name) => [`\0${name}`, name]))
  const places = Object.fromEntries(names.map((name) => [name, `\0${name}`])) as Record<Name, string>
  let compiled: CompiledQuery<Row> | undefined
  return async (texts) => {
    compiled ??= build(places).compile()
    const parameters = compiled.parameters.map((value) => {
      const name = byPlace.get(value)
      return name === undefined ? value : texts[name]
    })
    return (await db.executeQuery<Row>({ ...compiled, parameters })).rows
  }
}
