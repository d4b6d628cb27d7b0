import { type GgufWriterTensor, type GgufWriterValue, writeGguf } from "./gguf-writer.ts"

interface BertModel {
  name: string
  /** Words that are single tokens. All others are spelled by their letters and digits. */
  words: readonly string[]
  /** Length of a token's vector. */
  dimensions: number
  /** The vectors, in the order of `bertTokens`. */
  embedding: Float32Array
  /** llama.cpp's number for the method that combines a text's token vectors into one vector. */
  pooling: number
  /** Whether each token is mixed with the mean of all tokens. */
  attends: boolean
  /** Weights that turn a text's vector into the single score of a ranking model. */
  output?: Float32Array
}

const characters = Array.from("abcdefghijklmnopqrstuvwxyz0123456789")
/** Special tokens come first. */
const bertSpecialTokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]

const bertTokens = (words: readonly string[]): string[] => [
  ...bertSpecialTokens,
  ...words.map((word) => `▁${word}`),
  ...characters.map((character) => `▁${character}`),
  ...characters,
]

/** Writes a one-layer BERT that changes nothing except what `attends` requires. Its embedding defines the meanings of the words. */
function writeBertModel(path: string, model: BertModel): void {
  const { name, words, dimensions, embedding, pooling, attends, output } = model
  const tokens = bertTokens(words)
  const metadata: Record<string, GgufWriterValue> = {
    "general.architecture": { type: "string", value: "bert" },
    "general.name": { type: "string", value: name },
    "bert.context_length": { type: "uint32", value: 512 },
    "bert.embedding_length": { type: "uint32", value: dimensions },
    "bert.feed_forward_length": { type: "uint32", value: dimensions },
    "bert.block_count": { type: "uint32", value: 1 },
    "bert.attention.head_count": { type: "uint32", value: 1 },
    // Large enough for the layer norms to keep the proportions of the vectors instead of whitening them.
    "bert.attention.layer_norm_epsilon": { type: "float32", value: 1e6 },
    "bert.attention.causal": { type: "bool", value: false },
    "bert.pooling_type": { type: "uint32", value: pooling },
    "tokenizer.ggml.model": { type: "string", value: "bert" },
    "tokenizer.ggml.token_type_count": { type: "uint32", value: 2 },
    "tokenizer.ggml.tokens": { type: "strings", value: tokens },
    "tokenizer.ggml.token_type": {
      type: "int32s",
      value: tokens.map((_, id) => (id === 1 ? 2 : id < bertSpecialTokens.length ? 3 : 1)),
    },
    "tokenizer.ggml.padding_token_id": { type: "uint32", value: 0 },
    "tokenizer.ggml.unknown_token_id": { type: "uint32", value: 1 },
    "tokenizer.ggml.cls_token_id": { type: "uint32", value: 2 },
    "tokenizer.ggml.bos_token_id": { type: "uint32", value: 2 },
    "tokenizer.ggml.eos_token_id": { type: "uint32", value: 3 },
    "tokenizer.ggml.seperator_token_id": { type: "uint32", value: 3 },
    "tokenizer.ggml.mask_token_id": { type: "uint32", value: 4 },
  }
  const tensor = (name: string, shape: number[], values: Float32Array): GgufWriterTensor => ({
    name,
    shape,
    type: "f32",
    data: () => new Uint8Array(values.buffer),
  })
  const filled = (name: string, shape: number[], value: number) =>
    tensor(name, shape, new Float32Array(shape.reduce((product, size) => product * size, 1)).fill(value))
  const square = [dimensions, dimensions]
  const mixing = new Float32Array(dimensions * dimensions)
  if (attends) for (let axis = 0; axis < dimensions; axis++) mixing[axis * (dimensions + 1)] = 1
  // The layer norms divide by about 1000 (the root of epsilon), so their weights multiply by the same factor.
  writeGguf(path, metadata, [
    tensor("token_embd.weight", [dimensions, tokens.length], embedding),
    filled("token_types.weight", [dimensions, 2], 0),
    filled("position_embd.weight", [dimensions, 512], 0),
    filled("token_embd_norm.weight", [dimensions], 1000),
    filled("token_embd_norm.bias", [dimensions], 0),
    ...["attn_q", "attn_k", "ffn_up", "ffn_down"].map((layer) => filled(`blk.0.${layer}.weight`, square, 0)),
    ...["attn_v", "attn_output"].map((layer) => tensor(`blk.0.${layer}.weight`, square, mixing)),
    ...["attn_q", "attn_k", "attn_v", "attn_output", "ffn_up", "ffn_down"].map((layer) =>
      filled(`blk.0.${layer}.bias`, [dimensions], 0),
    ),
    ...["attn_output_norm", "layer_output_norm"].flatMap((layer) => [
      filled(`blk.0.${layer}.weight`, [dimensions], 1000),
      filled(`blk.0.${layer}.bias`, [dimensions], 0),
    ]),
    ...(output === undefined
      ? []
      : [tensor("cls.output.weight", [dimensions, 1], output), filled("cls.output.bias", [1], 0)]),
  ])
}

const poolingMean = 1

/**
 * Writes an embedding model whose words have defined meanings. Words of one group share a vector, different groups are orthogonal, and a
 * text is the mean of its words. Unknown words have almost no meaning.
 */
export function buildEmbeddingModel(
  path: string,
  groups: string[][],
  { name = "test embeddings", dimensions = 64 } = {},
): void {
  if (groups.length + 1 > dimensions)
    throw new Error(`${dimensions} dimensions hold ${dimensions - 1} groups.`)
  const words = groups.flatMap((group, index) =>
    group.map((word) => ({ word: word.toLowerCase(), axis: index + 1 })),
  )
  const tokens = bertTokens(words.map(({ word }) => word))
  const first = bertSpecialTokens.length
  const axisOf = new Map(words.map(({ axis }, index) => [first + index, axis]))
  const embedding = new Float32Array(dimensions * tokens.length)
  // Single letters and digits all lie on the axis that stands for almost no meaning.
  tokens.forEach((_, id) => {
    const axis = axisOf.get(id) ?? 0
    embedding[id * dimensions + axis] = id < first ? 0 : axis === 0 ? 0.05 : 1
  })
  writeBertModel(path, {
    name,
    words: words.map(({ word }) => word),
    dimensions,
    embedding,
    pooling: poolingMean,
    attends: false,
  })
}

const dimensions = 64
const poolingRank = 4
const axes = { good: 1, bad: 2 }

/**
 * Writes a model that ranks passages. The more of a passage's words are in `good`, the closer its score is to 1; the more are in `bad`, the
 * closer to 0. Its single attention layer takes the mean of all words.
 */
export function buildRankingModel(path: string, { good, bad }: { good: string[]; bad: string[] }): void {
  const words = [...good, ...bad]
  const embedding = new Float32Array(dimensions * bertTokens(words).length)
  words.forEach((_, index) => {
    const axis = index < good.length ? axes.good : axes.bad
    embedding[(bertSpecialTokens.length + index) * dimensions + axis] = 1
  })
  const output = new Float32Array(dimensions)
  output[axes.good] = 60
  output[axes.bad] = -60
  writeBertModel(path, {
    name: "test ranking",
    words,
    dimensions,
    embedding,
    pooling: poolingRank,
    attends: true,
    output,
  })
}
