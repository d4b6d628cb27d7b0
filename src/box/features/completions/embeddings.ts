import { z } from "zod"

const Text = z.string("must be text: this box takes no token numbers").min(1, "must not be empty")

/** OpenAI's embeddings request, as far as the box supports it. */
export const EmbeddingRequest = z.object({
  model: z.string().nullish(),
  input: z
    .unknown()
    .transform((input) => (Array.isArray(input) ? (input as unknown[]) : [input]))
    .pipe(z.array(Text).min(1, "must hold at least one text").max(2048, "must hold at most 2048 texts")),
  encoding_format: z.enum(["float", "base64"], 'must be "float" or "base64"').nullish(),
  dimensions: z.null("isn't supported: vectors have the model's own length").optional(),
  user: z.string().nullish(),
})

/** Typical number of characters per token; embedding engines don't report token counts. */
const charactersPerToken = 4

/** Returns OpenAI's list of embeddings. Its token counts are estimates. */
export function toEmbeddingList(
  model: string,
  texts: readonly string[],
  vectors: readonly Float32Array[],
  format: "float" | "base64",
) {
  const tokens = texts.reduce((sum, text) => sum + Math.ceil(text.length / charactersPerToken), 0)
  return {
    object: "list",
    model,
    data: vectors.map((vector, index) => ({
      object: "embedding",
      index,
      embedding:
        format === "float"
          ? Array.from(vector)
          : Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString("base64"),
    })),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
}
