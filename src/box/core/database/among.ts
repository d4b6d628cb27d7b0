import { sql } from "kysely"

/** Does the same for a list that is already JSON. */
export const amongJson = (list: string) => sql<string>`(SELECT value FROM json_each(${list}))`

/** A list for `in`, of any length: a statement accepts only a limited number of separate values. */
export const among = (values: readonly string[]) => amongJson(JSON.stringify(values))
