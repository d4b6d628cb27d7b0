import { createHash } from "node:crypto"
import type { EmbeddingEngine } from "../engine.ts"

/** Texts that an embedding model was trained to expect before a question and before a passage; empty if none. */
interface EmbeddingPrompts {
  query: string
  document: string
}

/** Models with the same prompts, identified by the names in their files or on their servers. */
export interface EmbeddingFamily extends EmbeddingPrompts {
  /** Lower case, with dashes: `bge-small-en` matches `BGE small EN v1.5` and `bge-small-en-v1.5-q8_0.gguf`. */
  names: readonly string[]
}

const noPrompts: EmbeddingPrompts = { query: "", document: "" }

/** Returns the prompts of the first family that matches one of a model's names. */
export function promptsFor(
  names: readonly (string | undefined)[],
  families: readonly EmbeddingFamily[],
): EmbeddingPrompts {
  const known = names.map((name) => `-${(name ?? "").toLowerCase().replace(/[^a-z0-9]+/g, "-")}-`)
  const family = families.find((one) =>
    one.names.some((name) => known.some((own) => own.includes(`-${name}-`))),
  )
  return family ? { query: family.query, document: family.document } : noPrompts
}

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
