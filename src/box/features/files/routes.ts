import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { api } from "../../../shared/contract/api.ts"
import type { FileBlock } from "../../../shared/contract/files.ts"
import { createCloseSignal } from "../../http/answers/answer-limits.ts"
import { sendFile } from "../../http/answers/send-file.ts"
import type { Handlers } from "../../http/serve.ts"
import type { Block } from "../../parsers/parser.ts"
import type { DocumentReader } from "../../parsers/process/document-reader.ts"
import type { FilePages } from "./read-files.ts"
import type { Files } from "./service.ts"

const lineKinds = new Set<Block["kind"]>(["table-header", "table-row", "code"])

/** A document as text: paragraphs separated by an empty line, table rows and code line by line. */
async function* blocksAsText(pieces: AsyncIterable<Block[]>): AsyncGenerator<string> {
  let previous: Block["kind"] | undefined
  for await (const blocks of pieces) {
    let text = ""
    for (const { kind, text: own } of blocks) {
      if (previous) text += lineKinds.has(kind) && lineKinds.has(previous) ? "\n" : "\n\n"
      text += own
      previous = kind
    }
    yield text
  }
}

/** `{"blocks":[{"kind","text","location"}]}`, written piece by piece. */
async function* blocksAsJson(pieces: AsyncIterable<Block[]>): AsyncGenerator<string> {
  yield '{"blocks":['
  let first = true
  for await (const blocks of pieces) {
    let json = ""
    for (const { kind, text, location, area } of blocks) {
      json += `${first ? "" : ","}${JSON.stringify({ kind, text, location, ...(area && { area }) } satisfies FileBlock)}`
      first = false
    }
    yield json
  }
  yield "]}"
}

export function filesHandlers(
  files: Files,
  pages: FilePages,
  reader: Pick<DocumentReader, "read">,
): Handlers<typeof api.files> {
  return {
    upload: ({ caller, params, receive }) => files.upload(caller.userId, params.id, receive),

    addUrl: ({ caller, params, body, request }) =>
      files.addUrl(caller.userId, params.id, body, createCloseSignal(request)),

    update: async ({ caller, params, body }) => ({
      file: await files.update(caller.userId, params.id, params.fileId, body),
    }),

    async list({ caller, params, query }) {
      const { limit, offset } = query
      return { collection: params.id, limit, offset, ...(await files.list(caller.userId, params.id, query)) }
    },

    read: async ({ caller, params }) => ({ file: await files.read(caller.userId, params.id, params.fileId) }),

    async content({ caller, params, request, response }) {
      await sendFile(request, response, await files.open(caller.userId, params.id, params.fileId))
    },

    async text({ caller, params, query, response }) {
      const blocks = await files.text(caller.userId, params.id, params.fileId)
      const asJson = query.format === "blocks"
      response.setHeader("content-type", `${asJson ? "application/json" : "text/plain"}; charset=utf-8`)
      const text = asJson ? blocksAsJson(blocks) : blocksAsText(blocks)
      await pipeline(Readable.from(text), response).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "ERR_STREAM_PREMATURE_CLOSE") throw error
      })
    },

    async preview({ caller, params, query, request }) {
      const document = await files.document(caller.userId, params.id, params.fileId)
      const { previewText } = await import("./preview-text.ts") // loaded with the first preview
      const signal = createCloseSignal(request)
      return previewText(reader, document, query, { signal, person: caller.userId })
    },

    async pages({ caller, params, request }) {
      const document = await files.document(caller.userId, params.id, params.fileId)
      return { pages: await pages.list(document, request) }
    },

    async page({ caller, params, query, request, response }) {
      const document = await files.document(caller.userId, params.id, params.fileId)
      await pages.send(document, params.page, query.width, request, response)
    },

    replace: ({ caller, params, receive }) => files.replace(caller.userId, params.id, params.fileId, receive),

    retry: async ({ caller, params }) => ({
      file: await files.retry(caller.userId, params.id, params.fileId),
    }),

    retryFailed: async ({ caller, params }) => ({
      queued: await files.retryFailed(caller.userId, params.id),
    }),

    trash: ({ caller }) => files.trashed(caller.userId),

    async emptyTrash({ caller }) {
      await files.emptyTrash(caller.userId)
      return { success: true }
    },

    async removeTrashed({ caller, params }) {
      await files.removeTrashed(caller.userId, params.id)
      return { success: true, id: params.id }
    },

    putBack: async ({ caller, params }) => ({ file: await files.putBack(caller.userId, params.id) }),

    async remove({ caller, params }) {
      const undo = await files.remove(caller.userId, params.id, params.fileId)
      return { status: "deleted", deleted: true, file_id: params.fileId, errors: [], undo }
    },
  }
}
