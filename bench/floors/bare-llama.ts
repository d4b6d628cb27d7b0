// The floor of bench/engine.ts: only node-llama-cpp, in a process with the same settings, without chat, template, detokenizing or messages
// for each token.
import {
  getLlama,
  LlamaLogLevel,
  type LlamaContextSequence,
  type LlamaModel,
  type Token,
} from "node-llama-cpp"

export interface BareRequest {
  modelPath: string
  prompt: string
  threads: number
  streams: number
  tokens: number
}

export interface BareAnswer {
  /** Time from the start to the first token, in milliseconds. */
  firstTokenMs: number
  /** Rate of all streams together, after the first token. */
  tokensPerSecond: number
}

const llama = await getLlama({
  gpu: false,
  build: "never",
  skipDownload: true,
  logLevel: LlamaLogLevel.error,
})
let loaded: { model: LlamaModel; sequences: LlamaContextSequence[] } | null = null

async function load(modelPath: string): Promise<{ model: LlamaModel; sequences: LlamaContextSequence[] }> {
  const model = await llama.loadModel({ modelPath })
  const context = await model.createContext({
    contextSize: 4096,
    sequences: 4,
    threads: { ideal: llama.cpuMathCores, min: 1 },
  })
  return { model, sequences: Array.from({ length: 4 }, () => context.getSequence()) }
}

async function measure({ modelPath, prompt, threads, streams, tokens }: BareRequest): Promise<BareAnswer> {
  loaded ??= await load(modelPath)
  const { model, sequences } = loaded
  llama.maxThreads = threads
  const startedAt = performance.now()
  const firsts: number[] = []
  const run = async (sequence: LlamaContextSequence, input: Token[]): Promise<void> => {
    await sequence.clearHistory()
    let count = 0
    for await (const _ of sequence.evaluate(input, { temperature: 0.7, topP: 0.95 })) {
      if (count++ === 0) firsts.push(performance.now())
      if (count === tokens) break
    }
  }
  await Promise.all(
    sequences.slice(0, streams).map((sequence, index) => run(sequence, model.tokenize(`${prompt} ${index}`))),
  )
  const lastFirst = Math.max(...firsts)
  return {
    firstTokenMs: lastFirst - startedAt,
    tokensPerSecond: (streams * (tokens - 1) * 1000) / (performance.now() - lastFirst),
  }
}

process.on("disconnect", () => process.exit())
process.on("message", (request: BareRequest) => {
  void measure(request).then((answer) => process.send?.(answer))
})
