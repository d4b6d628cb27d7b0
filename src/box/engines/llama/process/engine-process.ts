import "../../../core/children/without-network.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { type ChatRuntime, createChatRuntime } from "./chat-runtime.ts"
import {
  createEmbeddingRuntime,
  type EmbeddingRuntime,
  createRankingRuntime,
  type RankingRuntime,
} from "./encoder-runtimes.ts"
import { createEventBatcher } from "./event-batcher.ts"
import { countPrompt, generate, prepare } from "./generation.ts"
import { getInstructionSet, loadModel, openLlama } from "./load-model.ts"
import type { FromEngine, LoadModel, ToEngine } from "../protocol.ts"
import { dropFileAccess, dropRights } from "../../../core/children/sandbox/give-up-rights.ts"
import { startHeartbeat } from "../../../core/children/heartbeat.ts"
import { connectToParent } from "../../../core/children/parent.ts"
import { throttle } from "../../../core/waiting/throttle.ts"

/** Entry point of the model process: it loads one model once and runs until it is ended. */
const parent = connectToParent<ToEngine, FromEngine>()
const heartbeat = startHeartbeat()
const running = new Map<number, AbortController>()
/** A step may be one of thousands of short texts, and each message costs both processes time. */
const working = throttle(1_000, () => parent.send({ type: "working" }))
let chat: ChatRuntime | null = null
let embedding: EmbeddingRuntime | null = null
let ranking: RankingRuntime | null = null

parent.onMessage((message) => {
  const id = "id" in message ? message.id : null
  heartbeat.begin()
  handle(message)
    .catch((error: unknown) => parent.send(toFailure(id, error)))
    .finally(heartbeat.end)
})

async function handle(message: ToEngine): Promise<void> {
  switch (message.type) {
    case "load":
      return load(message)
    case "generate":
      return runGeneration(message)
    case "stop":
      running.get(message.id)?.abort()
      return
    case "prepare":
      await prepare(loadedChat(), message.prefix, working)
      return parent.send({ type: "prepared", id: message.id })
    case "count":
      parent.send({
        type: "counted",
        id: message.id,
        tokens: loadedChat().model.tokenize(message.text).length,
      })
      return
    case "count-prompt":
      parent.send({ type: "counted", id: message.id, tokens: countPrompt(loadedChat(), message.request) })
      return
    case "embed": {
      if (embedding === null) throw new Error("The model is not loaded.")
      parent.send({
        type: "embedded",
        id: message.id,
        vectors: await embedding.embed(message.texts, working),
      })
      return
    }
    case "rank": {
      if (ranking === null) throw new Error("The model is not loaded.")
      const { id, query, texts } = message
      parent.send({ type: "ranked", id, scores: await ranking.rank(query, texts, working) })
      return
    }
    case "probe": {
      const llama = await openLlama({ gpu: true, proven: null })
      const memory = llama.gpu === false ? null : await llama.getVramState()
      parent.send({ type: "probed", gpu: llama.gpu, memoryBytes: memory?.total ?? 0 })
    }
  }
}

async function load(options: LoadModel): Promise<void> {
  const llama = await openLlama(options)
  dropRights() // the native code is loaded, and the model file comes from someone else
  const model = await loadModel(llama, options, (progress) => parent.send({ type: "progress", progress }))
  if (options.purpose === "embedding")
    embedding = await createEmbeddingRuntime(llama, model, options.contextSize)
  else if (options.purpose === "reranking")
    ranking = await createRankingRuntime(llama, model, options.contextSize)
  else
    chat = await createChatRuntime(llama, model, {
      ...options,
      onThreads: (threads) => parent.send({ type: "threads", threads }),
    })
  dropFileAccess()
  parent.send({
    type: "ready",
    gpu: llama.gpu,
    threads: llama.maxThreads,
    processor: {
      promptThreads: llama.cpuMathCores,
      instructionSet: getInstructionSet(llama.systemInfo),
    },
    dimensions: model.embeddingVectorSize,
  })
}

async function runGeneration({ id, request }: Extract<ToEngine, { type: "generate" }>): Promise<void> {
  const controller = new AbortController()
  running.set(id, controller)
  const batcher = createEventBatcher((events) => parent.send({ type: "events", id, events }))
  try {
    await generate(loadedChat(), request, controller.signal, (event) => batcher.push(event), working)
  } finally {
    batcher.flush()
    running.delete(id)
  }
}

function loadedChat(): ChatRuntime {
  if (chat === null) throw new Error("The model is not loaded.")
  return chat
}

function toFailure(id: number | null, error: unknown): FromEngine {
  if (error instanceof AppError)
    return {
      type: "failed",
      id,
      code: error.code,
      message: error.message,
      ...error.sentence.field,
      details: error.details,
    }
  // The message may contain paths: the box logs it and shows users its own message.
  return {
    type: "failed",
    id,
    code: "internal",
    message: error instanceof Error ? error.message : String(error),
  }
}
