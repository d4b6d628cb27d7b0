import { open, rm } from "node:fs/promises"
import type { IncomingMessage } from "node:http"
import { Busboy, type BusboyFileStream, type BusboyInstance } from "@fastify/busboy"
import type { Form } from "../../shared/contract/endpoint.ts"
import type { ReceivedFile, ReceiveOptions } from "../../serve/serve.ts"
import { AppError, invalidField } from "../../shared/contract/errors.ts"
import { sentence } from "../../shared/sentences/sentences.ts"

const fieldLimits = {
  fields: 20,
  parts: 30,
  fieldSize: 16_384,
  fieldNameSize: 100,
  headerPairs: 50,
  headerSize: 16_384,
}
/** Timeout for a client that sends nothing, in ms. */
const idleMs = 60_000
/** Time to read the answer after a refusal, before the connection is closed, in ms. */
const lingerMs = 5_000

/**
 * Streams the single file of a `multipart/form-data` request to `path` and flushes it to disk. Fields may precede or follow it. Any failure
 * removes the file: `validation` for no file, several files, or malformed fields or body; `file_too_large` over the limit; `ENOSPC` from
 * the file system.
 */
export async function receiveFile(
  request: IncomingMessage,
  form: Form,
  options: ReceiveOptions<unknown>,
): Promise<ReceivedFile> {
  const busboy = openBusboy(request, form)
  const stop = new AbortController()
  const limit = form.maxFileBytes ?? options.limit ?? Infinity
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const sent = new Map<string, string>()
  const fields = () => form.fields?.parse(Object.fromEntries(sent)) ?? {}
  let saving: Promise<Omit<ReceivedFile, "fields">> | undefined

  const fail = (error: unknown) => {
    reject(error)
    stop.abort(error)
  }
  busboy.on("file", (field: string, stream: BusboyFileStream, fileName?: string) => {
    stream.on("error", () => undefined) // busboy receives the same error.
    if (!form.file.includes(field))
      return fail(invalidField(field, sentence("http.file_field", { field: form.file[0] })))
    if (saving) return fail(invalidField(field, sentence("http.one_file")))
    saving = save(stream, unescapeName(fileName ?? ""), { ...options, limit, fields }, stop.signal)
    saving.catch(fail)
  })
  busboy.on("field", (name: string, value: string) => void sent.set(name, value))
  busboy.on("filesLimit", () => fail(invalidField(form.file[0], sentence("http.one_file"))))
  busboy.on("partsLimit", () => fail(new AppError("validation", sentence("http.too_many_parts"))))
  busboy.on("fieldsLimit", () => fail(new AppError("validation", sentence("http.too_many_fields"))))
  busboy.on("error", (cause: unknown) =>
    fail(new AppError("validation", sentence("http.form_malformed"), { cause })),
  )
  busboy.on("finish", resolve)
  const onClose = () => {
    if (!request.complete) fail(new AppError("validation", sentence("http.upload_cut_off")))
  }
  request.on("close", onClose)
  request.on("error", onClose)
  if (request.destroyed) onClose() // The request was already destroyed before the listener was added.
  request.setTimeout(idleMs, () => request.destroy())
  request.pipe(busboy)

  try {
    await promise
    const saved = await saving
    // A form without a chosen file sends an empty file without a name.
    if (!saved || (saved.fileName === "" && saved.size === 0)) {
      throw invalidField(form.file[0], sentence("http.no_file"))
    }
    return { ...saved, fields: fields() }
  } catch (error) {
    await abandon(request, busboy)
    await saving?.catch(() => undefined)
    await rm(options.path, { force: true })
    throw error
  } finally {
    request.off("close", onClose)
    request.setTimeout(0)
  }
}

function openBusboy(request: IncomingMessage, { file }: Form): BusboyInstance {
  const type = request.headers["content-type"] ?? ""
  if (!/^multipart\/form-data\b/i.test(type)) {
    throw invalidField(file[0], sentence("http.no_file_in_form"))
  }
  try {
    return new Busboy({
      headers: { ...request.headers, "content-type": type },
      limits: { ...fieldLimits, files: 1 },
      isPartAFile: (field, _type, fileName) => fileName !== undefined || file.includes(field ?? ""),
    })
  } catch (cause) {
    throw new AppError("validation", sentence("http.no_boundary"), { cause })
  }
}

interface SaveOptions<Fields> extends Omit<ReceiveOptions<Fields>, "limit"> {
  limit: number
  /** Returns the fields received so far. */
  fields(): Fields
}

async function save<Fields>(
  stream: BusboyFileStream,
  fileName: string,
  { path, limit, headBytes, onHead, fields }: SaveOptions<Fields>,
  signal: AbortSignal,
): Promise<Omit<ReceivedFile, "fields">> {
  const pieces: Buffer[] = []
  let size = 0
  async function* measured(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      const before = size
      size += chunk.length
      if (size > limit)
        throw new AppError("file_too_large", sentence("http.file_too_large", { size: sizeText(limit) }))
      if (before < headBytes) {
        pieces.push(chunk)
        if (size >= headBytes) await onHead?.(getHead(pieces, headBytes), fileName, fields())
      }
      yield chunk
    }
  }
  await using file = await open(path, "wx")
  signal.addEventListener("abort", () => stream.destroy(new Error("The upload ended early.")), { once: true })
  await file.writeFile(measured(stream), { signal })
  await file.sync()
  return { fileName, size, head: getHead(pieces, headBytes) }
}

/** Reverses the escaping of file names by browsers (WHATWG HTML, multipart/form-data encoding). */
const unescapeName = (name: string) => name.replace(/%(22|0A|0D)/gi, (escape) => decodeURIComponent(escape))

const getHead = (pieces: Buffer[], bytes: number) => Buffer.concat(pieces).subarray(0, bytes)

const sizeText = (bytes: number) => (bytes >= 2 ** 30 ? `${bytes / 2 ** 30} GiB` : `${bytes} bytes`)

/** Discards the rest of the upload for a limited time, so that the client can read the answer. */
async function abandon(request: IncomingMessage, busboy: BusboyInstance): Promise<void> {
  request.unpipe(busboy)
  busboy.destroy()
  if (request.complete || request.destroyed) return
  request.resume()
  const cut = setTimeout(() => request.destroy(), lingerMs).unref()
  request.once("close", () => clearTimeout(cut))
}
