import { type GgufWriterTensor, type GgufWriterValue, writeGguf } from "./gguf-writer.ts"

/**
 * Writes an embedding model whose words have chosen meanings: the words of one group share a vector, different
 * groups are at right angles, and a text is the mean of its words. Unknown words mean nothing much.
 */
export function buildEmbeddingModel(path: string, groups: string[][], dimensions = 64): void {
  if (groups.length + 1 > dimensions)
    throw new Error(`${dimensions} dimensions hold ${dimensions - 1} groups.`)
  const words = groups.flatMap((group, index) =>
    group.map((word) => ({ word: word.toLowerCase(), axis: index + 1 })),
  )
  const characters = Array.from("abcdefghijklmnopqrstuvwxyz0123456789")
  const tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ...words.map(({ word }) => `▁${word}`)]
  // Single letters and digits spell every other word; they all lie on the axis of "nothing much".
  tokens.push(...characters.map((character) => `▁${character}`), ...characters)
  const axes = new Map(words.map(({ axis }, index) => [5 + index, axis]))

  const embedding = new Float32Array(dimensions * tokens.length)
  tokens.forEach((_, id) => {
    const axis = axes.get(id) ?? 0
    embedding[id * dimensions + axis] = id < 5 ? 0 : axis === 0 ? 0.05 : 1
  })
  const metadata: Record<string, GgufWriterValue> = {
    "general.architecture": { type: "string", value: "bert" },
    "general.name": { type: "string", value: "test embeddings" },
    "bert.context_length": { type: "uint32", value: 512 },
    "bert.embedding_length": { type: "uint32", value: dimensions },
    "bert.feed_forward_length": { type: "uint32", value: dimensions },
    "bert.block_count": { type: "uint32", value: 1 },
    "bert.attention.head_count": { type: "uint32", value: 1 },
    // So large that the layer norms keep the proportions of the vectors instead of whitening them.
    "bert.attention.layer_norm_epsilon": { type: "float32", value: 1e6 },
    "bert.attention.causal": { type: "bool", value: false },
    "bert.pooling_type": { type: "uint32", value: 1 },
    "tokenizer.ggml.model": { type: "string", value: "bert" },
    "tokenizer.ggml.token_type_count": { type: "uint32", value: 2 },
    "tokenizer.ggml.tokens": { type: "strings", value: tokens },
    "tokenizer.ggml.token_type": {
      type: "int32s",
      value: tokens.map((_, id) => (id === 1 ? 2 : id < 5 ? 3 : 1)),
    },
    "tokenizer.ggml.padding_token_id": { type: "uint32", value: 0 },
    "tokenizer.ggml.unknown_token_id": { type: "uint32", value: 1 },
    "tokenizer.ggml.cls_token_id": { type: "uint32", value: 2 },
    "tokenizer.ggml.bos_token_id": { type: "uint32", value: 2 },
    "tokenizer.ggml.eos_token_id": { type: "uint32", value: 3 },
    "tokenizer.ggml.seperator_token_id": { type: "uint32", value: 3 },
    "tokenizer.ggml.mask_token_id": { type: "uint32", value: 4 },
  }
  const filled = (name: string, shape: number[], value: number): GgufWriterTensor => ({
    name,
    shape,
    type: "f32",
    data: () =>
      new Uint8Array(new Float32Array(shape.reduce((product, size) => product * size, 1)).fill(value).buffer),
  })
  const square = [dimensions, dimensions]
  // The layer norms divide by about 1000 (the root of epsilon), so their weights multiply by as much.
  writeGguf(path, metadata, [
    {
      name: "token_embd.weight",
      shape: [dimensions, tokens.length],
      type: "f32",
      data: () => new Uint8Array(embedding.buffer),
    },
    filled("token_types.weight", [dimensions, 2], 0),
    filled("position_embd.weight", [dimensions, 512], 0),
    filled("token_embd_norm.weight", [dimensions], 1000),
    filled("token_embd_norm.bias", [dimensions], 0),
    ...["attn_q", "attn_k", "attn_v", "attn_output", "ffn_up", "ffn_down"].flatMap((layer) => [
      filled(`blk.0.${layer}.weight`, square, 0),
      filled(`blk.0.${layer}.bias`, [dimensions], 0),
    ]),
    ...["attn_output_norm", "layer_output_norm"].flatMap((layer) => [
      filled(`blk.0.${layer}.weight`, [dimensions], 1000),
      filled(`blk.0.${layer}.bias`, [dimensions], 0),
    ]),
  ])
}
