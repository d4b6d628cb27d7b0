/** Texts that an embedding model was trained to expect before a question and before a passage; empty if none. */
export interface EmbeddingPrompts {
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
