/** What an embedding model was trained to read in front of a question and of a passage; empty where it is nothing. */
export interface EmbeddingPrompts {
  query: string
  document: string
}

/** Models with the same prompts, known by what their files or servers call them. */
export interface EmbeddingFamily extends EmbeddingPrompts {
  /** Lower case, with dashes: `bge-small-en` knows `BGE small EN v1.5` and `bge-small-en-v1.5-q8_0.gguf`. */
  names: readonly string[]
}

const noPrompts: EmbeddingPrompts = { query: "", document: "" }

/** The prompts of the first family that knows one of a model's names. */
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
