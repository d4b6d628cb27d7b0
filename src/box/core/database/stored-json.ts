import type { z } from "zod"

/** What stored JSON says; undefined when it doesn't fit the schema, as in a backup that someone altered. */
export function readStored<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
): z.output<Schema> | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  return schema.safeParse(value).data
}
