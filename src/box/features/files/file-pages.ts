import type { Request, Response } from "express"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { createCloseSignal } from "../../http/answers/close-signal.ts"
import type { FileIdentity } from "../../parsers/parser.ts"
import type { PageViewer } from "../../parsers/pages/page-viewer.ts"

/** A file on disk, with a version that changes when its bytes do. */
export interface StoredDocument {
  path: string
  identity: FileIdentity
  name: string
  /** Password of an encrypted file, if known. */
  password?: string
  version: string
}

/** Pages of files as people see them, rendered on request. */
export interface FilePages {
  list(document: StoredDocument, request: Request): Promise<{ width: number; height: number }[]>
  send(
    document: StoredDocument,
    number: string,
    width: number,
    request: Request,
    response: Response,
  ): Promise<void>
}

export function createFilePages(viewer: Pick<PageViewer, "sizes" | "picture">): FilePages {
  return {
    // A user who scrolls on no longer needs the page being rendered.
    list: (document, request) => viewer.sizes(document, createCloseSignal(request)),

    async send(document, number, width, request, response) {
      if (!/^[1-9]\d{0,5}$/.test(number)) throw new AppError("not_found", sentence("files.no_page"))
      const etag = `"${document.version}-${number}-${width}"`
      response.setHeader("etag", etag)
      response.setHeader("cache-control", "private, no-cache")
      if (request.headers["if-none-match"] === etag) {
        response.status(304).end()
        return
      }
      const { mediaType, bytes } = await viewer.picture(
        document,
        Number(number),
        width,
        createCloseSignal(request),
      )
      response.setHeader("content-type", mediaType)
      response.setHeader("x-content-type-options", "nosniff")
      // Opened directly, a document's image must not load or run anything.
      response.setHeader("content-security-policy", "default-src 'none'; sandbox")
      response.end(bytes)
    },
  }
}
