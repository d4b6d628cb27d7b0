import { AppError } from "../../../shared/contract/errors.ts"
import { Sentence } from "../../../shared/sentences/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { ExitReason, SpawnChild } from "../../core/children/child.ts"
import { startChild } from "../../core/children/start-child.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { unlessAborted } from "../../core/waiting/abort-and-timeout.ts"
import { engineArguments, engineEnvironment, logOutput } from "./engine-child.ts"
import { fromEngine, type FromEngine, type LoadModel, type ToEngine } from "./protocol.ts"

/** Maximum silence, in seconds, of a process that loads a model and of one that works on a request. */
const maxSilence = { load: 120, request: 180 }

export type Loaded = Extract<FromEngine, { type: "ready" }>
export type AboutRequest = Extract<FromEngine, { id: number }> | Extract<FromEngine, { type: "failed" }>

interface RequestListener {
  onMessage(message: AboutRequest): void
  /** The process is gone; no more events follow. */
  onLost(error: AppError): void
}

/** One run of the model process, from start to end. */
export interface ModelProcess extends AsyncDisposable {
  /** Settles when the model is loaded; rejects with AppError if it can't be loaded. */
  readonly loaded: Promise<Loaded>
  /** Settles with the reason why the process ended. */
  readonly ended: Promise<ExitReason>
  /** Sends the message that opens a request and routes the process's replies to the listener. Returns a function that stops listening. */
  open(message: Extract<ToEngine, { id: number }>, listener: RequestListener): () => void
  send(message: ToEngine): void
}

interface ModelProcessOptions {
  spawn: SpawnChild
  load: LoadModel
  logger: Logger
  onProgress(progress: number): void
  onThreads(threads: number): void
}

/** Starts the process and makes it load the model. Ending the process is the only reliable way to free the model's memory. */
export function startModelProcess({
  spawn,
  load,
  logger,
  onProgress,
  onThreads,
}: ModelProcessOptions): ModelProcess {
  const requests = new Map<number, RequestListener>()
  const loaded = Promise.withResolvers<Loaded>()
  const ended = Promise.withResolvers<ExitReason>()
  loaded.promise.catch(() => undefined) // callers that wait for it get the error; there may be none yet
  let isLoading = true

  const child = startChild(spawn, {
    entry: "engine",
    env: engineEnvironment(),
    execArgv: engineArguments(),
    onOutput: logOutput(logger),
    maxSilence: () => maxSilence[isLoading ? "load" : "request"],
    replies: fromEngine,
    onReply(message) {
      if (message.type === "progress") return onProgress(message.progress)
      if (message.type === "threads") return onThreads(message.threads)
      if (message.type === "probed" || message.type === "working") return
      if (message.type === "ready") return loaded.resolve(message)
      if (message.id !== null) return requests.get(message.id)?.onMessage(message)
      logger.error(
        { reason: message.type === "failed" ? message.message : "" },
        "The model could not be loaded",
      )
      loaded.reject(new AppError("unavailable", sentence("llama.not_loaded")))
    },
    onExit(reason) {
      ended.resolve(reason)
      const error = new AppError(
        "engine_crashed",
        sentence("llama.ended_unexpectedly", { how: describe(reason) }),
      )
      loaded.reject(error)
      for (const listener of requests.values()) listener.onLost(error)
      requests.clear()
    },
  })
  const settled = child.begin()
  const finished = (): void => {
    isLoading = false
    settled()
  }
  loaded.promise.then(finished, finished)
  child.send(load satisfies ToEngine)

  return {
    loaded: loaded.promise,
    ended: ended.promise,
    open(message, listener) {
      requests.set(message.id, listener)
      const done = child.begin()
      child.send(message)
      return () => {
        requests.delete(message.id)
        done()
      }
    },
    send: (message: ToEngine) => child.send(message),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  }
}

function describe(reason: ExitReason): string | Sentence {
  if (reason === null) return sentence("llama.could_not_be_started")
  return typeof reason === "string" ? reason : sentence("llama.exit_code", { exitCode: reason })
}

/**
 * Sends a request that has one response, and waits for it. Throws AppError if there is none, or the signal's reason if that comes first.
 * The process keeps working on the request in any case, and is watched until it has responded.
 */
export async function askProcess<Answer extends "prepared" | "counted" | "embedded" | "ranked">(
  process: ModelProcess,
  question: Extract<ToEngine, { id: number }>,
  answer: Answer,
  signal?: AbortSignal,
): Promise<Extract<AboutRequest, { type: Answer }>> {
  const settled = Promise.withResolvers<Extract<AboutRequest, { type: Answer }>>()
  const close = process.open(question, {
    onMessage(message) {
      if (message.type === answer) settled.resolve(message as Extract<AboutRequest, { type: Answer }>)
      else settled.reject(toError(message))
    },
    onLost: settled.reject,
  })
  return unlessAborted(settled.promise.finally(close), signal)
}

/** Converts a message that isn't the expected response into an error. */
export function toError(message: AboutRequest): AppError {
  if (message.type !== "failed") return new AppError("internal", sentence("llama.answered_otherwise"))
  if (message.code !== "internal")
    return new AppError(message.code, Sentence.asIs(message.message, message.sentence), {
      details: message.details,
    })
  return new AppError("internal", sentence("llama.could_not_answer"), { cause: new Error(message.message) })
}
