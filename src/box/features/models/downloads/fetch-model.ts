import { open } from "node:fs/promises"
import { setTimeout as delay } from "node:timers/promises"
import type { Response } from "undici"
import { AppError } from "../../../../shared/contract/errors.ts"
import type { ModelSource } from "../../../../shared/contract/models.ts"
import type { Sentence } from "../../../../shared/sentences/sentence.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import type { Outbound } from "../../../core/outbound/outbound.ts"
import { limitSilence } from "../../../core/waiting/abort-and-timeout.ts"

const maxRedirects = 5

/** URL of a file on Hugging Face or a compatible mirror. */
export function resolveAddress(mirror: string, { repo, revision, file }: ModelSource): string {
  return `${mirror.replace(/\/+$/, "")}/${repo}/resolve/${revision}/${file}`
}

/** Properties of a large file that the first server reports before it redirects. */
interface LinkedFile {
  /** File size in bytes. */
  sizeBytes: number | null
  /** SHA-256 in hexadecimal. */
  sha256: string | null
}

/**
 * Requests a file and follows redirects itself, because Hugging Face describes the file in the first response and another server sends the
 * content. Sends nothing that identifies the caller.
 */
async function request(
  outbound: Pick<Outbound, "fetch">,
  address: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<{ response: Response; linked: LinkedFile }> {
  let linked: LinkedFile = { sizeBytes: null, sha256: null }
  let url = new URL(address)
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const response = await outbound.fetch(url, {
      purpose: "model-download",
      credentials: "omit",
      headers: { ...headers, "accept-encoding": "identity", "user-agent": "Casella" },
      signal,
    })
    linked = {
      sizeBytes: linked.sizeBytes ?? linkedSize(response),
      sha256: linked.sha256 ?? linkedSha256(response),
    }
    const location = response.headers.get("location")
    if (response.status < 300 || response.status >= 400 || location === null) return { response, linked }
    await response.body?.cancel()
    url = follow(url, location)
  }
  throw new AppError("unavailable", sentence("models.download_in_circles"))
}

function follow(from: URL, location: string): URL {
  const url = URL.canParse(location, from.href) ? new URL(location, from.href) : null
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && from.protocol === "http:")
  if (url && isSafe && url.username === "") return url
  throw new AppError("unavailable", sentence("models.download_unsafe"))
}

function linkedSize({ headers }: Response): number | null {
  const size = headers.get("x-linked-size") ?? ""
  return /^\d{1,15}$/.test(size) ? Number(size) : null
}

/** For large files, the ETag is the checksum. Small files have a different, shorter ETag. */
function linkedSha256({ headers }: Response): string | null {
  const etag = headers.get("x-linked-etag") ?? ""
  return /^(?:W\/)?"?([0-9a-f]{64})"?$/.exec(etag)?.[1] ?? null
}

interface TransferOptions {
  outbound: Pick<Outbound, "fetch">
  address: string
  /** File that receives the bytes. Its existing content is kept if the server's file hasn't changed. */
  partial: string
  /** Properties of the server's file when the partial file was started. */
  known: RemoteFile
  /** Called after the server has responded, before anything is written. Can throw to refuse the file. */
  onRemote(remote: RemoteFile): Promise<void>
  /** Called with the number of bytes in the partial file. */
  onBytes(received: number): void
  signal: AbortSignal
  /** Timeout in milliseconds while the server sends nothing. */
  silenceMs: number
}

/** Known properties of a file on a server. */
interface RemoteFile {
  /** ETag of the server that sends the bytes. */
  etag: string | null
  sizeBytes: number | null
  sha256: string | null
}

/** A temporary failure of the connection or the server; the same request may work later. */
class TransferInterrupted extends Error {
  override readonly name = "TransferInterrupted"
  readonly sentence: Sentence

  constructor(said: Sentence, options?: ErrorOptions) {
    super(said.text, options)
    this.sentence = said
  }
}

/**
 * Fetches a file to its last byte, starting at the end of the partial file.
 *
 * @throws TransferInterrupted if the connection failed; AppError if the server refuses; the signal's reason.
 */
export async function transfer(options: TransferOptions): Promise<void> {
  const file = await open(options.partial, "a+")
  const silence = limitSilence(options.silenceMs, fellSilent, options.signal)
  let answered = false
  const { signal } = silence
  try {
    const have = (await file.stat()).size
    if (have > 0 && have === options.known.sizeBytes) return
    // Without an ETag, it is unknown whether the rest still belongs to the same file.
    const { etag } = options.known
    const resumes = have > 0 && etag !== null
    const { response, linked } = await request(
      options.outbound,
      options.address,
      resumes ? { range: `bytes=${have}-`, "if-range": etag } : {},
      signal,
    )
    answered = true
    const from = resumes && isContinuation(response, have, linked, options.known) ? have : 0
    if (resumes && from === 0 && response.status === 206) {
      await response.body?.cancel()
      await file.truncate(0)
      throw new TransferInterrupted(sentence("models.changed_on_server"))
    }
    if (response.status === 416) {
      await file.truncate(0)
      throw new TransferInterrupted(sentence("models.shorter_on_server"))
    }
    requireSuccess(response)
    const remote = describe(response, linked, from)
    await options.onRemote(remote)
    if (from === 0) await file.truncate(0)
    let received = from
    for await (const chunk of response.body ?? []) {
      silence.recordActivity()
      options.signal.throwIfAborted()
      await file.appendFile(chunk)
      received += chunk.length
      options.onBytes(received)
      if (received > (remote.sizeBytes ?? 0)) break // more than the server announced: the check reports that
    }
    await file.sync()
    if (received < (remote.sizeBytes ?? 0))
      throw new TransferInterrupted(sentence("models.download_cut_short"))
  } catch (error) {
    options.signal.throwIfAborted()
    if (error instanceof AppError || error instanceof TransferInterrupted || isDiskError(error)) throw error
    const said = sentence(answered ? "models.connection_lost" : "models.server_unreachable")
    throw new TransferInterrupted(said, { cause: error })
  } finally {
    silence.stop()
    await file.close()
  }
}

/** Whether the response is the rest of exactly the file that was started. */
function isContinuation(response: Response, have: number, linked: LinkedFile, known: RemoteFile): boolean {
  if (response.status !== 206) return false
  if (linked.sha256 !== null && known.sha256 !== null && linked.sha256 !== known.sha256) return false
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers.get("content-range") ?? "") ?? []
  if (Number(start) !== have) return false
  return known.sizeBytes === null || Number(total) === known.sizeBytes
}

function requireSuccess({ status, statusText }: Response): void {
  if (status === 200 || status === 206) return
  if (status === 401 || status === 403) {
    throw new AppError("unavailable", sentence("models.signed_in_only"))
  }
  if (status === 404 || status === 410) {
    throw new AppError("not_found", sentence("models.no_such_file"))
  }
  if (status === 429 || status >= 500)
    throw new TransferInterrupted(sentence("models.server_status", { status }))
  throw new AppError(
    "unavailable",
    sentence("models.download_refused", { status: `${status} ${statusText}`.trim() }),
  )
}

function describe(response: Response, linked: LinkedFile, from: number): RemoteFile {
  const length = response.headers.get("content-length")
  const etag = response.headers.get("etag")
  return {
    etag: etag === null || etag.startsWith("W/") ? null : etag,
    sizeBytes: linked.sizeBytes ?? (length === null ? null : from + Number(length)),
    sha256: linked.sha256,
  }
}

function isDiskError(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? ""
  return ["ENOSPC", "EDQUOT", "EIO", "EACCES", "EPERM", "EROFS", "EMFILE"].includes(code)
}

const fellSilent = () => new TransferInterrupted(sentence("models.server_silent"))

export interface FetchOptions extends Omit<TransferOptions, "known" | "silenceMs"> {
  /** Properties of the server's file that are known so far. */
  known(): TransferOptions["known"]
  /** Nothing arrives, for the given reason; the next attempt follows after a delay. */
  onInterrupted(reason: Sentence): void
  limits: FetchLimits
  logger: Logger
}

export interface FetchLimits {
  /** Timeout in milliseconds while the server sends nothing. */
  silenceMs: number
  /** Delay in milliseconds before the second attempt; doubled before each further one. */
  retryMs: number
}

/** Maximum consecutive attempts without any new bytes. */
const maxAttempts = 6

/** Fetches a file despite lost connections. Gives up after several consecutive attempts without new bytes. */
export async function fetchModel({
  known,
  onInterrupted,
  limits,
  logger,
  ...options
}: FetchOptions): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    let brought = false
    try {
      return await transfer({
        ...options,
        known: known(),
        silenceMs: limits.silenceMs,
        onBytes(received) {
          brought = true
          options.onBytes(received)
        },
      })
    } catch (error) {
      if (!(error instanceof TransferInterrupted)) throw error
      if (brought) attempt = 1
      if (attempt >= maxAttempts) {
        const said = sentence("models.check_connection", { what: error.sentence })
        throw new AppError("unavailable", said, { cause: error })
      }
      logger.info({ err: error, address: options.address }, "A download was interrupted and is retried")
      onInterrupted(error.sentence)
      await delay(limits.retryMs * 2 ** (attempt - 1), undefined, { signal: options.signal })
    }
  }
}
