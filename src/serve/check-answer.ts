import type { z } from "zod"

/**
 * Checks a response before it leaves the server. Fields that the contract doesn't declare are never sent. A response that doesn't match is
 * the server's own error.
 */
export function checkAnswer<T>(schema: z.ZodType<T>, value: unknown): T {
  const { data, error } = schema.safeParse(value)
  if (error) throw new Error("An answer doesn't fit its contract.", { cause: error })
  return data
}
