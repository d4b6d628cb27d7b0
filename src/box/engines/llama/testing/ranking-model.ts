import { type GgufWriterTensor, type GgufWriterValue, writeGguf } from "./gguf-writer.ts"

/**
 * Writes a model that ranks passages: the more of a passage's words are among the good ones, the nearer its score is to
 * 1; the more among the bad ones, the nearer to 0. Its one layer of attention takes the mean of all words.
 */
export function buildRankingModel(path: string, { good, bad }: { good: string[]; bad: string[] }): void {
  const dimensions = 64
  const characters = Array.from("abcdefghijklmnopqrstuvwxyz0123456789")
  const special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
  const words = [...good, ...bad].map((word) => `▁${word}`)
  const tokens = [...special, ...words, ...characters.map((character) => `▁${character}`), ...characters]

  const embedding = new Float32Array(dimensions * tokens.length)
  const axes = { good: 1, bad: 2 }
  good.forEach((_, index) => (embedding[(special.length + index) * dimensions + axes.good] = 1))
  bad.forEach((_, index) => (embedding[(special.length + good.length + index) * dimensions + axes.bad] = 1))
  const output = new Float32Array(dimensions)
  output[axes.good] = 60
  output[axes.bad] = -60

  const metadata: Record<string, GgufWriterValue> = {
    "general.architecture": { type: "string", value: "bert" },
    "general.name": { type: "string", value: "test ranking" },
    "bert.context_length": { type: "uint32", value: 512 },
    "bert.embedding_length": { type: "uint32", value: dimensions },
    "bert.feed_forward_length": { type: "uint32", value: dimensions },
    "bert.block_count": { type: "uint32", value: 1 },
    "bert.attention.head_count": { type: "uint32", value: 1 },
    // So large that the layer norms keep the proportions of the vectors instead of whitening them.
    "bert.attention.layer_norm_epsilon": { type: "float32", value: 1e6 },
    "bert.attention.causal": { type: "bool", value: false },
    "bert.pooling_type": { type: "uint32", value: 4 },
    "tokenizer.ggml.model": { type: "string", value: "bert" },
    "tokenizer.ggml.token_type_count": { type: "uint32", value: 2 },
    "tokenizer.ggml.tokens": { type: "strings", value: tokens },
    "tokenizer.ggml.token_type": {
      type: "int32s",
      value: tokens.map((_, id) => (id === 1 ? 2 : id < special.length ? 3 : 1)),
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
  const identity = new Float32Array(dimensions * dimensions)
  for (let axis = 0; axis < dimensions; axis++) identity[axis * (dimensions + 1)] = 1
  // The layer norms divide by about 1000 (the root of epsilon), so their weights multiply by as much.
  writeGguf(path, metadata, [
    tensor("token_embd.weight", [dimensions, tokens.length], embedding),
    filled("token_types.weight", [dimensions, 2], 0),
    filled("position_embd.weight", [dimensions, 512], 0),
    filled("token_embd_norm.weight", [dimensions], 1000),
    filled("token_embd_norm.bias", [dimensions], 0),
    ...["attn_q", "attn_k", "ffn_up", "ffn_down"].map((layer) => filled(`blk.0.${layer}.weight`, square, 0)),
    ...["attn_v", "attn_output"].map((layer) => tensor(`blk.0.${layer}.weight`, square, identity)),
    ...["attn_q", "attn_k", "attn_v", "attn_output", "ffn_up", "ffn_down"].map((layer) =>
      filled(`blk.0.${layer}.bias`, [dimensions], 0),
    ),
    ...["attn_output_norm", "layer_output_norm"].flatMap((layer) => [
      filled(`blk.0.${layer}.weight`, [dimensions], 1000),
      filled(`blk.0.${layer}.bias`, [dimensions], 0),
    ]),
    tensor("cls.output.weight", [dimensions, 1], output),
    filled("cls.output.bias", [1], 0),
  ])
}
