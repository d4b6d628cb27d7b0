import { type GgufWriterTensor, tensorBytes, writeGguf } from "./gguf-writer.ts"

/**
 * A chat model with about 243 million random weights at 8 bits. It writes nonsense at the speed and with the memory of a real model of its
 * size (Llama architecture, 16 layers, 32,000 tokens), and almost never ends by itself. It reads texts byte by byte, except the words in
 * `known`, which are one token each, as in a trained model.
 */
export function buildRandomModel(path: string, known: readonly string[] = []): void {
  const vocabulary = tokens(known)
  const { width, layers, feedForward, heads, keyHeads } = shape
  const keyWidth = (width / heads) * keyHeads
  const weights = randomBlocks()
  const matrix = (name: string, rows: number, columns: number): GgufWriterTensor => ({
    name,
    shape: [rows, columns],
    type: "q8_0",
    data: () => repeat(weights, tensorBytes([rows, columns], "q8_0")),
  })
  const norm = (name: string): GgufWriterTensor => ({
    name,
    shape: [width],
    type: "f32",
    data: () => new Uint8Array(new Float32Array(width).fill(1).buffer),
  })
  const output = matrix("output.weight", width, shape.vocabulary)

  writeGguf(
    path,
    {
      "general.architecture": { type: "string", value: "llama" },
      "general.name": { type: "string", value: "random 243M" },
      "llama.context_length": { type: "uint32", value: 8_192 },
      "llama.embedding_length": { type: "uint32", value: width },
      "llama.block_count": { type: "uint32", value: layers },
      "llama.feed_forward_length": { type: "uint32", value: feedForward },
      "llama.attention.head_count": { type: "uint32", value: heads },
      "llama.attention.head_count_kv": { type: "uint32", value: keyHeads },
      "llama.rope.dimension_count": { type: "uint32", value: width / heads },
      "llama.attention.layer_norm_rms_epsilon": { type: "float32", value: 1e-5 },
      "llama.vocab_size": { type: "uint32", value: shape.vocabulary },
      "tokenizer.ggml.model": { type: "string", value: "llama" },
      "tokenizer.ggml.tokens": { type: "strings", value: vocabulary },
      "tokenizer.ggml.scores": { type: "float32s", value: vocabulary.map(() => 0) },
      "tokenizer.ggml.token_type": { type: "int32s", value: vocabulary.map((_, id) => tokenType(id)) },
      "tokenizer.ggml.bos_token_id": { type: "uint32", value: 1 },
      "tokenizer.ggml.eos_token_id": { type: "uint32", value: endToken },
      "tokenizer.ggml.unknown_token_id": { type: "uint32", value: 0 },
      "tokenizer.ggml.add_space_prefix": { type: "bool", value: false },
      "tokenizer.chat_template": {
        type: "string",
        value:
          "{{ bos_token }}{% for message in messages %}[{{ message['role'] }}]{{ message['content'] }}\n{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}",
      },
    },
    [
      matrix("token_embd.weight", width, shape.vocabulary),
      norm("output_norm.weight"),
      {
        ...output,
        data: () => {
          const bytes = output.data().slice()
          // The end token's weights are zero, so it is never the most likely token.
          const row = tensorBytes([width], "q8_0")
          bytes.fill(0, endToken * row, (endToken + 1) * row)
          return bytes
        },
      },
      ...Array.from({ length: layers }, (_, layer) => [
        norm(`blk.${layer}.attn_norm.weight`),
        matrix(`blk.${layer}.attn_q.weight`, width, width),
        matrix(`blk.${layer}.attn_k.weight`, width, keyWidth),
        matrix(`blk.${layer}.attn_v.weight`, width, keyWidth),
        matrix(`blk.${layer}.attn_output.weight`, width, width),
        norm(`blk.${layer}.ffn_norm.weight`),
        matrix(`blk.${layer}.ffn_gate.weight`, width, feedForward),
        matrix(`blk.${layer}.ffn_up.weight`, width, feedForward),
        matrix(`blk.${layer}.ffn_down.weight`, feedForward, width),
      ]).flat(),
    ],
  )
}

const shape = { width: 1024, layers: 16, feedForward: 2816, vocabulary: 32_000, heads: 16, keyHeads: 4 }
const endToken = 2

const firstWord = 259

function tokens(known: readonly string[]): string[] {
  const words = listPrefixes(known)
  return Array.from({ length: shape.vocabulary }, (_, id) => {
    if (id < 3) return ["<unk>", "<s>", "</s>"][id] ?? ""
    if (id < firstWord) return `<0x${(id - 3).toString(16).toUpperCase().padStart(2, "0")}>`
    return words[id - firstWord] ?? `▁w${id}`
  })
}

/** The tokenizer joins two pieces at a time, so it can only form a word if all prefixes of the word are tokens. */
function listPrefixes(words: readonly string[]): string[] {
  const all = new Set<string>()
  for (const word of words.map((each) => each.replaceAll(" ", "▁")))
    for (let length = 2; length <= word.length; length++) all.add(word.slice(0, length))
  return [...all]
}

function tokenType(id: number): number {
  if (id === 0) return 2
  if (id < 3) return 3
  return id < firstWord ? 6 : 1
}

/** A few megabytes of blocks, each with a scale of 0.001 in half precision and 32 random 8-bit weights. */
function randomBlocks(): Uint8Array {
  const blocks = 100_003 // prime, so that rows don't repeat
  const bytes = new Uint8Array(blocks * 34)
  let seed = 1
  for (let index = 0; index < bytes.length; index++) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    bytes[index] = seed >>> 24
  }
  for (let block = 0; block < blocks; block++) {
    bytes[block * 34] = 0x19
    bytes[block * 34 + 1] = 0x14
  }
  return bytes
}

function repeat(pattern: Uint8Array, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let position = 0; position < length; position += pattern.length)
    bytes.set(pattern.subarray(0, Math.min(pattern.length, length - position)), position)
  return bytes
}
