import { z } from "zod"
import { isOwnId } from "../ids.ts"

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

const Texts = z.array(z.string())

/** A stored JSON list of Casella's ids, without those that can't be, as in an altered backup: answers with one would fail. */
export const readStoredIds = (text: string): string[] => (readStored(Texts, text) ?? []).filter(isOwnId)
