import { createHash } from "node:crypto"
import type { EmbeddingEngine } from "../engine.ts"
import type { EmbeddingPrompts } from "./prompts.ts"

/** Embeds questions and passages so that they can be compared, each with the prompt that its model expects. */
export interface TextEmbedder {
  /** Returns unit-length vectors, in the order of the texts. Texts that exceed the model's context window are truncated. */
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
 * Returns the key under which a model's passage vectors are stored. Another passage prompt produces other vectors; another question prompt
 * doesn't.
 */
export function vectorsName(model: string, { document }: EmbeddingPrompts): string {
  if (document === "") return model
  return `${model} ${createHash("sha256").update(document).digest("hex").slice(0, 8)}`
}
