import { sql } from "kysely"

/** The same of a list that is JSON already. */
export const amongJson = (list: string) => sql<string>`(SELECT value FROM json_each(${list}))`

/** A list for `in`, of any length: a statement takes only so many values by themselves. */
export const among = (values: readonly string[]) => amongJson(JSON.stringify(values))
