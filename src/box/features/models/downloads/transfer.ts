import { open } from "node:fs/promises"
import type { Response } from "undici"
import { AppError } from "../../../../shared/contract/errors.ts"
import type { Sentence } from "../../../../shared/sentences/sentence.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { Outbound } from "../../../core/outbound/outbound.ts"
import { limitSilence } from "../../../core/waiting/abort-and-timeout.ts"
import { request, type LinkedFile } from "./model-address.ts"

export interface TransferOptions {
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
export interface RemoteFile {
  /** ETag of the server that sends the bytes. */
  etag: string | null
  sizeBytes: number | null
  sha256: string | null
}

/** A temporary failure of the connection or the server; the same request may work later. */
export class TransferInterrupted extends Error {
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
