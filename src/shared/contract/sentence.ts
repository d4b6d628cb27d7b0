import { z } from "zod"

export interface SentenceBody {
  code: string
  values?: Record<string, string | number | SentenceBody> | undefined
}

/** The code and values of a message for people, so that apps can show it in their user's language. The lists are in `shared/sentences/`. */
export const SentenceBody: z.ZodType<SentenceBody> = z
  .object({
    code: z.string().meta({ description: "More may come: show the text that stands beside it then" }),
    get values() {
      return z.record(z.string(), z.union([z.string(), z.number(), SentenceBody])).optional()
    },
  })
  .meta({
    id: "Sentence",
    description: "What the text beside it is made of: a code, and what it names and counts",
  })
