import { z } from "zod"

/** UUIDv7 made by the box. */
export const Id = z.string().min(1).max(100)

/** ISO 8601 UTC with milliseconds. */
export const Timestamp = z
  .string()
  .meta({ description: "ISO 8601 UTC with milliseconds", format: "date-time" })

/** A whole number in a query string; out of range is an error, never clamped (decisions.md 4). */
export function queryInteger(minimum: number, maximum: number, fallback: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number from ${minimum} to ${maximum}`)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, `must be from ${minimum} to ${maximum}`)
    .default(fallback)
    .meta({ type: "integer", minimum, maximum, default: fallback })
}

/** `limit` 1–200, default 50, and `offset` (interface.md 4). */
export const pageQuery = {
  limit: queryInteger(1, 200, 50),
  offset: queryInteger(0, Number.MAX_SAFE_INTEGER, 0),
}

/** Case-insensitive filter text. */
export const searchQuery = z.string().max(200).optional()

export const Pagination = z
  .object({ total: z.int(), limit: z.int(), offset: z.int(), hasMore: z.boolean() })
  .meta({ id: "Pagination" })
export type Pagination = z.infer<typeof Pagination>

export interface Page {
  limit: number
  offset: number
}

/** The `pagination` of a list of which `page` was asked and `shown` rows are answered. */
export function paginate(total: number, page: Page, shown: number): Pagination {
  return { total, ...page, hasMore: page.offset + shown < total }
}
