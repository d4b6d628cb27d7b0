import { z } from "zod"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { ChatEngine, EmbeddingEngine, EngineEvent, GenerateRequest } from "../../engines/engine.ts"
import { toAppError } from "../../http/error-response.ts"
import { started, type Blame, keepFirstCall, type AnswerQuota, counted } from "./answer-events.ts"
import { collectCompletion, newCompletionHead, toChunks } from "./completion.ts"
import { collectMessage, messageBlame, messageEvents } from "./messages/message.ts"
import {
  getPictures as picturesOfMessages,
  toGenerateRequest as fromMessages,
  toPrompt,
  CountRequest,
  MessageRequest,
} from "./messages/request.ts"
import { type NamedPicture, type PreparePicture, preparePictures } from "./pictures.ts"
import { getPictures, toGenerateRequest, CompletionRequest } from "./request.ts"
import {
  getPictures as picturesOfResponses,
  toGenerateRequest as fromResponses,
  ResponseRequest,
} from "./responses/request.ts"
import { collectResponse, responseBlame, responseEvents } from "./responses/response.ts"
import { parseRequest } from "./validate-request.ts"

const Text = z.string("must be text: this box takes no token numbers").min(1, "must not be empty")

/** OpenAI's embeddings request, as far as the box supports it. */
const EmbeddingRequest = z.object({
  model: z.string().nullish(),
  input: z
    .unknown()
    .transform((input) => (Array.isArray(input) ? (input as unknown[]) : [input]))
    .pipe(z.array(Text).min(1, "must hold at least one text").max(2048, "must hold at most 2048 texts")),
  encoding_format: z.enum(["float", "base64"], 'must be "float" or "base64"').nullish(),
  dimensions: z.null("isn't supported: vectors have the model's own length").optional(),
  user: z.string().nullish(),
})

/** Typical number of characters per token; embedding engines don't report token counts. */
const charactersPerToken = 4

/** Returns OpenAI's list of embeddings. Its token counts are estimates. */
function toEmbeddingList(
  model: string,
  texts: readonly string[],
  vectors: readonly Float32Array[],
  format: "float" | "base64",
) {
  const tokens = texts.reduce((sum, text) => sum + Math.ceil(text.length / charactersPerToken), 0)
  return {
    object: "list",
    model,
    data: vectors.map((vector, index) => ({
      object: "embedding",
      index,
      embedding:
        format === "float"
          ? Array.from(vector)
          : Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString("base64"),
    })),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
}

export interface CompletionsDeps {
  /** Returns the chat models that a request may name, the selected one first. */
  models(): Promise<readonly NamedModel[]>
  /** Returns the model with this name or ID, or the selected one if it is unknown. Returns null if there is no model. */
  model(named: string | undefined): Promise<{ name: string; engine: ChatEngine } | null>
  preparePicture: PreparePicture
  quota: AnswerQuota
  embedder(): EmbeddingEngine | null
  logger: Logger
}

export interface NamedModel {
  name: string
  owner: string
  host: string | null
}

/** A complete answer, or its events as a stream. Failures after the start are the last event. */
export type Answered<Event> =
  | { stream: false; whole: unknown }
  | { stream: true; events: AsyncIterable<Event> }

/** An event of a stream with named events. */
export interface NamedEvent {
  type: string
}

const action = { details: { action: "/settings/models" } }

/**
 * Serves the models in the formats of OpenAI and Anthropic, without retrieval or storage. Aborting the
 * signal ends the generation. Each method throws `validation` naming the parameter, `no_model`, or the engine's error before it starts.
 */
export class Completions {
  readonly #deps: CompletionsDeps

  constructor(deps: CompletionsDeps) {
    this.#deps = deps
  }

  async models() {
    const data = (await this.#deps.models()).map(({ name, owner, host }) => ({
      id: name,
      object: "model" as const,
      owned_by: owner,
      ...(host !== null && { host }),
    }))
    return { object: "list" as const, data }
  }

  /** OpenAI's chat completions. */
  async complete(userId: string, body: unknown, signal: AbortSignal): Promise<Answered<unknown>> {
    const request = parseRequest(CompletionRequest, body)
    const asked = await this.#modelFor(request)
    const { name, engine } = asked
    const pictures = await this.#shown(getPictures(request), asked, signal)
    const events = await this.#generated(engine, toGenerateRequest(request, pictures), signal, {
      userId,
      blame: { prompt: "messages" },
      oneCall: request.parallel_tool_calls === false,
    })
    const head = newCompletionHead(name)
    if (request.stream !== true) return { stream: false, whole: await collectCompletion(head, events) }
    const includeUsage = request.stream_options?.include_usage === true
    return {
      stream: true,
      events: toChunks(head, events, { includeUsage, explain: (error) => this.#explain(error) }),
    }
  }

  async #modelFor(request: { model?: string | null | undefined }) {
    const asked = await this.#deps.model(request.model ?? undefined)
    if (!asked) throw new AppError("no_model", sentence("models.no_chat_model"), action)
    return asked
  }

  /** Throws `unsupported_content` naming the part. */
  #shown(
    pictures: readonly NamedPicture[],
    { name, engine }: { name: string; engine: ChatEngine },
    signal: AbortSignal,
  ) {
    return preparePictures(pictures, { name, vision: engine.model.vision }, this.#deps.preparePicture, signal)
  }

  async #generated(
    engine: ChatEngine,
    request: GenerateRequest,
    signal: AbortSignal,
    options: { userId: string; blame: Blame; oneCall: boolean },
  ): Promise<AsyncIterable<EngineEvent>> {
    await this.#deps.quota.countAnswer(options.userId)
    const events = await started(
      counted(engine.generate(request, signal), options.userId, this.#deps.quota, this.#deps.logger),
      options.blame,
    )
    return options.oneCall ? keepFirstCall(events) : events
  }

  #explain(error: unknown) {
    return toAppError(error, this.#deps.logger)
  }

  /** OpenAI's Responses. */
  async respond(userId: string, body: unknown, signal: AbortSignal): Promise<Answered<NamedEvent>> {
    const request = parseRequest(ResponseRequest, body)
    const asked = await this.#modelFor(request)
    const { name, engine } = asked
    const pictures = await this.#shown(picturesOfResponses(request), asked, signal)
    const events = await this.#generated(engine, fromResponses(request, pictures), signal, {
      userId,
      blame: responseBlame(request),
      oneCall: request.parallel_tool_calls === false,
    })
    if (request.stream === true)
      return { stream: true, events: responseEvents(request, name, events, (error) => this.#explain(error)) }
    return { stream: false, whole: await collectResponse(request, name, events) }
  }

  /** Anthropic's Messages. */
  async message(userId: string, body: unknown, signal: AbortSignal): Promise<Answered<NamedEvent>> {
    const request = parseRequest(MessageRequest, body)
    const asked = await this.#modelFor(request)
    const { name, engine } = asked
    const { tool_choice: choice } = request
    const pictures = await this.#shown(picturesOfMessages(request), asked, signal)
    const events = await this.#generated(engine, fromMessages(request, pictures), signal, {
      userId,
      blame: messageBlame,
      oneCall: choice != null && choice.type !== "none" && choice.disable_parallel_tool_use === true,
    })
    if (request.stream === true)
      return { stream: true, events: messageEvents(request, name, events, (error) => this.#explain(error)) }
    return { stream: false, whole: await collectMessage(request, name, events) }
  }

  /** Returns the number of tokens that a Messages request sends to the model; an estimate for remote models. */
  async countTokens(body: unknown, signal: AbortSignal): Promise<{ input_tokens: number }> {
    const request = parseRequest(CountRequest, body)
    const asked = await this.#modelFor(request)
    const pictures = await this.#shown(picturesOfMessages(request), asked, signal)
    return { input_tokens: await asked.engine.countPrompt(toPrompt(request, pictures)) }
  }

  /** Embeds texts without the search prompts. Throws `validation` naming the parameter, or `no_model`. */
  async embed(body: unknown, signal: AbortSignal) {
    const { input, encoding_format } = parseRequest(EmbeddingRequest, body)
    const engine = this.#deps.embedder()
    if (!engine) {
      throw new AppError("no_model", sentence("models.no_embedding_model"), action)
    }
    const vectors = await engine.embed(input, signal)
    return toEmbeddingList(engine.model.id, input, vectors, encoding_format ?? "float")
  }
}

export const createCompletions = (deps: CompletionsDeps): Completions => new Completions(deps)
