import { type GgufWriterTensor, type GgufWriterValue, writeGguf } from "./gguf-writer.ts"

/**
 * A chat model that writes scripted replies through the real engine. Its attention and feed-forward layers output zero, so it is a table
 * from the last token to the next one. The prompt's last character, which is the newest message's last character, selects the reply.
 */
export interface ScriptedModelOptions {
  /** Reply used when the newest message ends in none of the characters of `replies`. */
  reply: ScriptedReply
  /** Replies by the last character (one ASCII byte) of the newest message. */
  replies?: Record<string, ScriptedReply>
  /** Trained context in tokens, as stated in the model; defaults to 8192. */
  contextSize?: number
  /** Width of the feed-forward layer, which outputs zero; defaults to 32. A large width makes the model slow. */
  feedForward?: number
  /** Makes the chat template mention tools, like that of a model trained to call them. */
  knowsTools?: boolean
  /** Jinja text at the start of the chat template. */
  templateStart?: string
  /** Leaves out the chat template, like a plain text model. */
  withoutTemplate?: boolean
  /** Leaves out the token for a single space, so that the engine spells a space by the bytes of `▁`. Calls need that token. */
  withoutSpaceToken?: boolean
}

export type ScriptedReply =
  | string
  /** Repeats the text without end. */
  | { forever: string }
  /** Writes the text byte by byte, so that a character takes several tokens. No byte may occur twice. */
  | { bytes: string }
  /** Thinks between `<think>` tags before it replies. Only one reply of a model can do this. */
  | { thought: string; answer: string }
  /** Calls a function, with the same arguments throughout the model. Its result ends in a line break, so `replies["\n"]` follows. */
  | { call: { name: string; args: unknown } }

const special = {
  unknown: 0,
  begin: 1,
  end: 2,
  firstByte: 3,
  space: 259,
  system: 260,
  user: 261,
  endTurn: 262,
}
const tokenType = { normal: 1, unknown: 2, control: 3, byte: 6 }

const thinkTags = new Set(["<think>", "</think>"])

/** Nothing follows the newest message, so its last character is the prompt's last token. */
const chatTemplate = [
  "{{ bos_token }}{% for message in messages %}",
  "{% if message['role'] == 'system' %}<|system|>{{ message['content'] }}",
  "{% elif message['role'] == 'user' %}<|user|>{{ message['content'] }}",
  "{% else %}{{ message['content'] }}<|end|>{% endif %}",
  "{% endfor %}",
].join("")

/** Writes the model. A sentence of ten words makes a file of about 1.4 MB that loads in about 20 ms. */
export function buildScriptedModel(path: string, options: ScriptedModelOptions): void {
  const { tokens, next, fallback } = writeScript(options)
  const size = Math.ceil(tokens.length / 32) * 32
  const feedForward = options.feedForward ?? 32
  const successors = tokens.map((_, id) => next.get(id) ?? fallback)

  const metadata: Record<string, GgufWriterValue> = {
    "general.architecture": { type: "string", value: "llama" },
    "general.name": { type: "string", value: "scripted" },
    "llama.context_length": { type: "uint32", value: options.contextSize ?? 8192 },
    "llama.embedding_length": { type: "uint32", value: size },
    "llama.block_count": { type: "uint32", value: 1 },
    "llama.feed_forward_length": { type: "uint32", value: feedForward },
    "llama.attention.head_count": { type: "uint32", value: 1 },
    "llama.attention.head_count_kv": { type: "uint32", value: 1 },
    "llama.attention.key_length": { type: "uint32", value: 32 },
    "llama.attention.value_length": { type: "uint32", value: 32 },
    "llama.rope.dimension_count": { type: "uint32", value: 32 },
    "llama.attention.layer_norm_rms_epsilon": { type: "float32", value: 1e-5 },
    "llama.vocab_size": { type: "uint32", value: tokens.length },
    ...tokenizerMetadata(tokens),
    ...(options.withoutTemplate
      ? {}
      : {
          "tokenizer.chat_template": {
            type: "string",
            value: (options.templateStart ?? "") + chatTemplate + (options.knowsTools ? "{# tools #}" : ""),
          },
        }),
  }
  writeGguf(path, metadata, [
    oneHot("token_embd.weight", size, tokens.length, (row) => [[row, 1]]),
    constant("output_norm.weight", [size], 1),
    oneHot("output.weight", size, tokens.length, (row) =>
      successors.flatMap((successor, id) => (successor === row ? [[id, 1] as [number, number]] : [])),
    ),
    constant("blk.0.attn_norm.weight", [size], 1),
    constant("blk.0.ffn_norm.weight", [size], 1),
    zeros("blk.0.attn_q.weight", [size, 32]),
    zeros("blk.0.attn_k.weight", [size, 32]),
    zeros("blk.0.attn_v.weight", [size, 32]),
    zeros("blk.0.attn_output.weight", [32, size]),
    zeros("blk.0.ffn_gate.weight", [size, feedForward]),
    zeros("blk.0.ffn_up.weight", [size, feedForward]),
    zeros("blk.0.ffn_down.weight", [feedForward, size]),
  ])
}

interface Script {
  tokens: string[]
  next: Map<number, number>
  fallback: number
}

function writeScript({ reply, replies = {}, withoutSpaceToken = false }: ScriptedModelOptions): Script {
  const tokens = ["<unk>", "<s>", "</s>"]
  for (let byte = 0; byte < 256; byte++)
    tokens.push(`<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`)
  tokens.push(withoutSpaceToken ? "<|no space|>" : "▁", "<|system|>", "<|user|>", "<|end|>")
  const known = new Set(tokens)
  const next = new Map<number, number>()

  const append = (text: string, last: number): number => {
    const ids = splitUnique(text, known).map((piece) => {
      known.add(piece)
      return tokens.push(piece) - 1
    })
    ids.forEach((id, index) => next.set(id, ids[index + 1] ?? last))
    return ids[0] ?? last
  }
  const byteToken = (char: string): number =>
    char === " " ? special.space : special.firstByte + (Buffer.from(char)[0] ?? 0)

  let startedCall: { call: string; start: number } | null = null
  const startCall = ({ name, args }: { name: string; args: unknown }): number => {
    const call = JSON.stringify([name, args])
    if (startedCall?.call === call) return startedCall.start
    if (startedCall !== null) throw new Error("A scripted model can make one call only.")
    // The engine splits a call into prefix, name and arguments, and continues after a space and after a parenthesis.
    next.set(special.space, append(name, byteToken("(")))
    next.set(byteToken("("), append(JSON.stringify(args), byteToken(")")))
    next.set(byteToken(")"), special.end)
    startedCall = { call, start: append("||call: ", special.space) }
    return startedCall.start
  }
  const appendBytes = (text: string): number => {
    const ids = Array.from(Buffer.from(text), (byte) => special.firstByte + byte)
    ids.forEach((id, index) => {
      if (next.has(id)) throw new Error(`The script "${text}" uses a byte twice.`)
      next.set(id, ids[index + 1] ?? special.end)
    })
    return ids[0] ?? special.end
  }
  const startThinking = ({ thought, answer }: { thought: string; answer: string }): number => {
    const open = tokens.push("<think>") - 1
    const close = tokens.push("</think>") - 1
    next.set(open, append(thought, close))
    next.set(close, append(answer, special.end))
    return open
  }
  const start = (entry: ScriptedReply): number => {
    if (typeof entry === "string") return append(entry, special.end)
    if ("call" in entry) return startCall(entry.call)
    if ("thought" in entry) return startThinking(entry)
    if ("bytes" in entry) return appendBytes(entry.bytes)
    const first = tokens.length
    return append(entry.forever, first)
  }
  for (const [char, entry] of Object.entries(replies)) next.set(byteToken(char), start(entry))
  return { tokens, next, fallback: start(reply) }
}

/**
 * Splits the text into words with their leading spaces. A repeated word is joined with its neighbours until it is unique, because no two
 * tokens may have the same text.
 */
function splitUnique(text: string, known: ReadonlySet<string>): string[] {
  const used = new Set(known)
  const pieces: string[] = []
  let pending = ""
  for (const word of text.match(/\s*\S+|\s+$/gu) ?? []) {
    pending += word.replaceAll(" ", "▁")
    if (used.has(pending)) continue
    used.add(pending)
    pieces.push(pending)
    pending = ""
  }
  while (pending !== "") {
    const last = pieces.pop()
    if (last === undefined)
      throw new Error(`The script "${text}" repeats another one; say it in other words.`)
    pending = last + pending
    if (!used.has(pending)) {
      pieces.push(pending)
      pending = ""
    }
  }
  return pieces
}

function tokenizerMetadata(tokens: string[]): Record<string, GgufWriterValue> {
  const types = tokens.map((token, id) => {
    if (id === special.unknown) return tokenType.unknown
    if (
      id === special.begin ||
      id === special.end ||
      (id >= special.system && id <= special.endTurn) ||
      thinkTags.has(token)
    )
      return tokenType.control
    return id >= special.firstByte && id < special.space ? tokenType.byte : tokenType.normal
  })
  return {
    "tokenizer.ggml.model": { type: "string", value: "llama" },
    "tokenizer.ggml.tokens": { type: "strings", value: tokens },
    "tokenizer.ggml.scores": { type: "float32s", value: tokens.map(() => 0) },
    "tokenizer.ggml.token_type": { type: "int32s", value: types },
    "tokenizer.ggml.bos_token_id": { type: "uint32", value: special.begin },
    "tokenizer.ggml.eos_token_id": { type: "uint32", value: special.end },
    "tokenizer.ggml.unknown_token_id": { type: "uint32", value: special.unknown },
    "tokenizer.ggml.add_bos_token": { type: "bool", value: true },
    "tokenizer.ggml.add_space_prefix": { type: "bool", value: false },
  }
}

function oneHot(
  name: string,
  width: number,
  rows: number,
  entries: (row: number) => [column: number, value: number][],
): GgufWriterTensor {
  return {
    name,
    shape: [width, rows],
    type: "f16",
    data: () => {
      const matrix = new Float16Array(width * rows)
      for (let row = 0; row < rows; row++)
        for (const [column, value] of entries(row)) matrix[row * width + column] = value
      return new Uint8Array(matrix.buffer)
    },
  }
}

function constant(name: string, shape: number[], value: number): GgufWriterTensor {
  const length = shape.reduce((product, size) => product * size, 1)
  return { name, shape, type: "f32", data: () => new Uint8Array(new Float32Array(length).fill(value).buffer) }
}

function zeros(name: string, shape: number[]): GgufWriterTensor {
  const length = shape.reduce((product, size) => product * size, 1)
  return { name, shape, type: "f16", data: () => new Uint8Array(new Uint16Array(length).buffer) }
}
