import { z } from "zod"

export interface SentenceBody {
  code: string
  values?: Record<string, string | number | SentenceBody> | undefined
}

/** The code and values of a message for people, so that apps can show it in their user's language. The lists are in `shared/sentences/`. */
export const SentenceBody: z.ZodType<SentenceBody> = z
  .object({
    code: z
      .string()
      .describe(
        "Code of the sentence. New codes can be added: show the sentence next to it for those that you don't know.",
      ),
    get values() {
      return z
        .record(z.string(), z.union([z.string(), z.number(), SentenceBody]))
        .optional()
        .describe("Names and numbers in the sentence.")
    },
  })
  .meta({
    id: "Sentence",
    description:
      "Code and values of the sentence next to it, so that programs can show it in another language.",
  })
