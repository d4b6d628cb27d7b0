import { z } from "zod"
import { isOwnId } from "../ids.ts"

/** Parses stored JSON. Returns undefined if it doesn't match the schema, for example in a modified backup. */
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

/**
 * Parses a stored JSON list of Casella's IDs and drops invalid ones, for example from a modified backup: responses that contain one would
 * fail.
 */
export const readStoredIds = (text: string): string[] => (readStored(Texts, text) ?? []).filter(isOwnId)
