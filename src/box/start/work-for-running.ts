import { once } from "node:events"
import { basename, join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { WebSocket } from "ws"
import type { SpawnChild } from "../core/children/child.ts"
import { ocrLanguagesPath } from "../core/data-layout.ts"
import type { Logger } from "../core/logging/logger.ts"
import { unlessAborted } from "../core/waiting/abort-and-timeout.ts"
import { embedFor, type EmbedRequest } from "../engines/embedding/elsewhere/embed-elsewhere.ts"
import type { EmbeddingEngine } from "../engines/engine.ts"
import { createLlamaEmbedder } from "../engines/llama/llama-encoders.ts"
import { fingerprintModel } from "../engines/llama/computer.ts"
import { createGpuChoice } from "../engines/llama/process/gpu-choice.ts"
import {
  createChannel,
  maxMessageBytes,
  WorkerLost,
  type Channel,
  newNonce,
  nonceHeader,
  proofHeader,
  proofsFor,
  workerPath,
  workerVersionHeader,
  workKindHeader,
  type WorkKind,
} from "../http/workers/worker-channel.ts"
import { isToken } from "../http/box-token.ts"
import { readFor } from "../parsers/elsewhere/read-elsewhere.ts"
import { createDocumentReader } from "../parsers/process/document-reader.ts"

/** Workers offered: as many as a box runs for itself at a time. */
const slots: readonly WorkKind[] = ["read", "read", "recognise", "embed"]
/** Delay after a connection ended, and after one that was refused. */
const retryDelayMs = 1_000
const unwantedMs = 60_000
const handshakeMs = 5_000
/** The active server sends something more often than this. */
const silentMs = 15_000

export interface WorkForRunningDeps {
  /** Reads the active server's current address. Returns null if none has been published yet. */
  running(): Promise<string | null>
  /** The `workerKey` derived from the secrets key. */
  key: Buffer
  version: string
  dataDir: string
  spawn: SpawnChild
  logger: Logger
}

/** Reads documents and creates embeddings for the active server, whichever it is, until disposed of. */
export function startStandbyWorkers({
  running,
  key,
  version,
  dataDir,
  spawn,
  logger,
}: WorkForRunningDeps): AsyncDisposable {
  const stopping = new AbortController()
  const { signal } = stopping
  const ocrLanguages = ocrLanguagesPath(dataDir)
  const reader = createDocumentReader({ spawn, logger, ocrLanguages })
  const models = createModels({ dataDir, spawn, logger })
  const offers = slots.map(offer)

  async function offer(kind: WorkKind): Promise<void> {
    while (!signal.aborted) {
      const isWanted = await serve(kind).catch((error: unknown) => {
        if (!(error instanceof WorkerLost) && !signal.aborted)
          logger.warn({ err: error, kind }, "Work for the active server was abandoned")
        return true
      })
      await wait(isWanted ? retryDelayMs : unwantedMs, undefined, { signal }).catch(() => undefined)
    }
  }

  /** Works until the connection ends. Returns false if this server's work isn't wanted. */
  async function serve(kind: WorkKind): Promise<boolean> {
    const address = await unlessAborted(running(), signal)
    signal.throwIfAborted()
    if (address === null) return true
    const nonce = newNonce()
    const socket = new WebSocket(new URL(workerPath, address.replace(/^http/, "ws")), {
      headers: { [nonceHeader]: nonce, [workerVersionHeader]: version, [workKindHeader]: kind },
      handshakeTimeout: handshakeMs,
      maxPayload: maxMessageBytes,
      perMessageDeflate: false,
    })
    const channel = createChannel(socket)
    const end = () => socket.terminate()
    signal.addEventListener("abort", end)
    const silence = setTimeout(end, silentMs)
    socket.on("ping", () => silence.refresh())
    let isRefused = false
    socket.once("unexpected-response", (_request, { statusCode = 0 }) => {
      isRefused = statusCode < 500 // a 5xx server may be about to become active
      end()
    })
    let proof = ""
    socket.once("upgrade", ({ headers }) => {
      const theirs = String(headers[nonceHeader])
      const proofs = proofsFor(key, { kind, waiting: nonce, running: theirs })
      proof = proofs.waiting
      if (isToken(headers[proofHeader], proofs.running)) return
      logger.warn(
        { address },
        "Another program, or a server with another secrets key, is at the address of a former server",
      )
      isRefused = true
      end() // nothing it sent was read
    })
    try {
      await once(socket, "open", { signal: channel.gone }).catch(() => undefined)
      if (channel.gone.aborted) return !isRefused
      await channel.send({ proof })
      await workOn(kind, channel)
      return false
    } finally {
      clearTimeout(silence)
      signal.removeEventListener("abort", end)
      end()
    }
  }

  const workOn = (kind: WorkKind, channel: Channel): Promise<void> =>
    kind === "embed" ? embedFor(channel, models.open) : readFor(channel, reader, ocrLanguages)

  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await Promise.all(offers)
      await Promise.all([reader[Symbol.asyncDispose](), models[Symbol.asyncDispose]()])
    },
  }
}

/** Opens the embedding model that the active server uses, if this computer has its file. */
function createModels({ dataDir, spawn, logger }: Pick<WorkForRunningDeps, "dataDir" | "spawn" | "logger">) {
  const gpu = createGpuChoice({ file: join(dataDir, "gpu.json"), spawn, logger })
  let loaded: { fingerprint: string; engine: EmbeddingEngine } | null = null

  async function find({ path, fingerprint }: EmbedRequest["model"]): Promise<string | undefined> {
    for (const file of [path, join(dataDir, "models", basename(path))])
      if ((await fingerprintModel(file).catch(() => null)) === fingerprint) return file
    return undefined
  }

  return {
    async open(model: EmbedRequest["model"]): Promise<EmbeddingEngine | null> {
      if (loaded?.fingerprint === model.fingerprint) return loaded.engine
      await loaded?.engine[Symbol.asyncDispose]()
      loaded = null
      const modelPath = await find(model)
      if (modelPath === undefined) {
        logger.warn(
          { model: basename(model.path) },
          "The active server's embedding model isn't on this computer",
        )
        return null
      }
      loaded = {
        fingerprint: model.fingerprint,
        engine: createLlamaEmbedder({ modelPath, spawn, gpu, logger }),
      }
      return loaded.engine
    },
    [Symbol.asyncDispose]: async () => loaded?.engine[Symbol.asyncDispose](),
  }
}
