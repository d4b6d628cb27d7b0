import { z } from "zod"
import { issue, wrong } from "./wrong.ts"

export const maxIdLength = 100

/** UUIDv7 created by the box. */
export const Id = z
  .string()
  .min(1)
  .max(maxIdLength)
  .describe("Identifier, a UUID of version 7 assigned by the server.")

/** ISO 8601 UTC with milliseconds. */
export const Timestamp = z
  .string()
  .meta({ description: "ISO 8601 UTC with milliseconds", format: "date-time" })

/** Text with at most this many characters, counted as in JSON Schema: an emoji is one character, though JavaScript counts it as two. */
export function atMost(characters: number, text: z.ZodString = z.string()): z.ZodString {
  const fits = ({ length }: string) => length <= characters
  const mayFit = ({ length }: string) => length <= 2 * characters
  return text
    .refine(
      (value) => fits(value) || (mayFit(value) && Array.from(value).length <= characters),
      wrong("most_characters", { count: characters }),
    )
    .meta({ maxLength: characters })
}

/** Text with at least this many characters, counted as in `atMost`. */
export function atLeast(characters: number, text: z.ZodString = z.string()): z.ZodString {
  return text
    .refine(
      (value) => value.length >= 2 * characters || Array.from(value).length >= characters,
      wrong("least_characters", { count: characters }),
    )
    .meta({ minLength: characters })
}

/** Name of an icon, spelled as in the icon library. */
export const IconName = z.string().regex(/^[A-Z][A-Za-z0-9]{0,59}$/, wrong("icon_name"))

export const HexColor = z.string().regex(/^#[0-9A-Fa-f]{6}$/, wrong("hex_colour"))

/** A whole number in a query string. A number out of range is an error and is never clamped. */
export function queryInteger(minimum: number, maximum: number, fallback: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/, wrong("whole_from_to", { minimum, maximum }))
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, wrong("from_to", { minimum, maximum }))
    .default(fallback)
    .meta({ type: "integer", minimum, maximum, default: fallback })
}

/** `true` or `false` in a query string, also in Python's spelling; `undefined` if omitted. */
export const queryBoolean = z
  .stringbool({ truthy: ["true"], falsy: ["false"] })
  .meta({ enum: ["true", "false"] })
  .optional()

/** `limit` 1–200, default 50, and `offset`. */
export const pageQuery = {
  limit: queryInteger(1, 200, 50).describe("Entries to return, 1 to 200."),
  offset: queryInteger(0, Number.MAX_SAFE_INTEGER, 0).describe("Entries to skip."),
}

/** Case-insensitive filter text. */
export const searchQuery = atMost(200).optional()

export const Pagination = z
  .object({
    total: z.int().describe("Entries on all pages."),
    limit: z.int().describe("Limit of the request."),
    offset: z.int().describe("Offset of the request."),
    hasMore: z.boolean().describe("true if there are entries after this page."),
  })
  .meta({ id: "Pagination", description: "Position of a page in the whole list." })
export type Pagination = z.infer<typeof Pagination>

export interface Page {
  limit: number
  offset: number
}

/** Returns the `pagination` of a list for the requested `page` with `shown` rows in the response. */
export function paginate(total: number, page: Page, shown: number): Pagination {
  return { total, ...page, hasMore: page.offset + shown < total }
}

/** Any JSON object, kept unchanged. Zod's own record skips the key `__proto__`, which would be lost. */
export const jsonObject = () =>
  z
    .custom<Record<string, unknown>>(
      (value) => typeof value === "object" && value !== null && !Array.isArray(value),
      wrong("json_object"),
    )
    .meta({ type: "object", additionalProperties: {} })

/** An object with any keys except `__proto__`, which Zod's own record would skip without a check. */
export function record<V extends z.ZodType>(
  values: V,
  keys = z.string(),
): z.ZodType<Record<string, z.output<V>>, Record<string, z.input<V>>> {
  const refuseProto = (value: unknown, context: z.core.$RefinementCtx) => {
    if (typeof value === "object" && value !== null && Object.hasOwn(value, "__proto__"))
      context.addIssue({ path: ["__proto__"], ...issue("name_unusable") })
    return value
  }
  return z.preprocess(refuseProto, z.record(keys, values)) as never
}
