import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { ChatEngine, EmbeddingEngine, EngineEvent } from "../../engines/engine.ts"
import { collectCompletion, newCompletionHead, toChunks } from "./completion.ts"
import { EmbeddingRequest, toEmbeddingList } from "./embeddings.ts"
import { toGenerateRequest } from "./generate-request.ts"
import { blame, parseRequest } from "./parse-request.ts"
import { CompletionRequest } from "./request-schema.ts"

export interface CompletionsDeps {
  /** The chat models that may be named, the chosen one first. */
  models(): Promise<readonly NamedModel[]>
  /** The model of a name or an id, or the chosen one where there is none of it; null without any. */
  model(named: string | undefined): Promise<{ name: string; engine: ChatEngine } | null>
  embedder(): EmbeddingEngine | null
}

export interface NamedModel {
  name: string
  owner: string
}

/** One completion at once, or its chunks as they come. */
export type CompletionResponse =
  | { stream: false; completion: unknown }
  | { stream: true; chunks: AsyncIterable<unknown> }

const action = { details: { action: "/settings/models" } }

/** The models in OpenAI's wire format: no retrieval, nothing stored (interface.md 4.6, decisions.md 9). */
export function createCompletions({ models, model, embedder }: CompletionsDeps) {
  return {
    async models() {
      const data = (await models()).map(({ name, owner }) => ({
        id: name,
        object: "model" as const,
        owned_by: owner,
      }))
      return { object: "list" as const, data }
    },

    /**
     * Answers a chat-completions request; aborting the signal ends the generation.
     * Throws `validation` naming the parameter, `no_model`, or what the engine throws before it begins.
     */
    async create(body: unknown, signal: AbortSignal): Promise<CompletionResponse> {
      const request = parseRequest(CompletionRequest, body)
      const asked = await model(request.model ?? undefined)
      if (!asked) throw new AppError("no_model", sentence("models.no_chat_model"), action)
      const head = newCompletionHead(asked.name)
      const generated = await begun(asked.engine.generate(toGenerateRequest(request), signal))
      const events = request.parallel_tool_calls === false ? withFirstCallOnly(generated) : generated
      if (request.stream !== true) return { stream: false, completion: await collectCompletion(head, events) }
      const includeUsage = request.stream_options?.include_usage === true
      return { stream: true, chunks: toChunks(head, events, { includeUsage }) }
    },

    /** Embeds texts as they are, without the prompts of search. Throws `validation` naming the parameter, or `no_model`. */
    async embed(body: unknown, signal: AbortSignal) {
      const { input, encoding_format } = parseRequest(EmbeddingRequest, body)
      const engine = embedder()
      if (!engine) {
        throw new AppError("no_model", sentence("models.no_embedding_model"), action)
      }
      const vectors = await engine.embed(input, signal)
      return toEmbeddingList(engine.model.id, input, vectors, encoding_format ?? "float")
    },
  }
}

export type Completions = ReturnType<typeof createCompletions>

/** Waits for the first event, so that what fails before it becomes the response's HTTP status. */
async function begun(events: AsyncIterable<EngineEvent>): Promise<AsyncIterable<EngineEvent>> {
  const iterator = events[Symbol.asyncIterator]()
  const first = await iterator.next().catch((error: unknown) => {
    throw blame(error, "messages")
  })
  return (async function* () {
    try {
      for (let step = first; step.done !== true; step = await iterator.next()) yield step.value
    } finally {
      await iterator.return?.()
    }
  })()
}

async function* withFirstCallOnly(events: AsyncIterable<EngineEvent>): AsyncGenerator<EngineEvent> {
  let called = false
  for await (const event of events) {
    if (event.type === "tool-call" && called) continue
    called ||= event.type === "tool-call"
    yield event
  }
}
