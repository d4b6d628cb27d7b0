import { sql } from "kysely"

/** A list for `in`, of any length: a statement takes only so many values by themselves. */
export const among = (values: readonly string[]) =>
  sql<string>`(SELECT value FROM json_each(${JSON.stringify(values)}))`
