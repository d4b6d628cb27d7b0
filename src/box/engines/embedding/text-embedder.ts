import { createHash } from "node:crypto"
import type { EmbeddingEngine } from "../engine.ts"
import type { EmbeddingPrompts } from "./prompts.ts"

/** Embeds questions and passages so that they can be compared, each with what its model wants to read before it. */
export interface TextEmbedder {
  /** Unit-length vectors, in the order of the texts. Texts over the model's context are cut. */
  embed(texts: readonly string[], kind: "query" | "document", signal?: AbortSignal): Promise<Float32Array[]>
}

export function createTextEmbedder(
  engine: Pick<EmbeddingEngine, "embed">,
  prompts: EmbeddingPrompts,
): TextEmbedder {
  return {
    embed: (texts, kind, signal) =>
      engine.embed(
        texts.map((text) => prompts[kind] + text),
        signal,
      ),
  }
}

/**
 * What passages' vectors of a model are stored under: another prompt before a passage makes other vectors, another one
 * before a question doesn't.
 */
export function vectorsName(model: string, { document }: EmbeddingPrompts): string {
  if (document === "") return model
  return `${model} ${createHash("sha256").update(document).digest("hex").slice(0, 8)}`
}
