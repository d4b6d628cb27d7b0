import type { z } from "zod"

/** What leaves a server: a field that the contract doesn't declare never does. An answer that doesn't fit is a fault of ours. */
export function checkAnswer<T>(schema: z.ZodType<T>, value: unknown): T {
  const { data, error } = schema.safeParse(value)
  if (error) throw new Error("An answer doesn't fit its contract.", { cause: error })
  return data
}
