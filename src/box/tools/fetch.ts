import { z } from "zod"
import { AppError } from "../../shared/contract/errors.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import type { SafeFetch } from "../core/safe-fetch/safe-fetch.ts"
import { type DocumentReader, readBytes } from "../parsers/process/document-reader.ts"
import { OcrNeeded, ParseFailure, type Block } from "../parsers/parser.ts"
import { defineTool, type Tool } from "./tool.ts"
import { Sentence } from "../../shared/sentences/sentence.ts"

/** Maximum characters of a page that a model gets in one call. */
const maxTextLength = 50_000

export interface FetchDeps {
  safe: SafeFetch
  /** Reads fetched documents in a separate process, with a timeout suitable for someone who is waiting. */
  reader: DocumentReader
}

/** Reads one page or PDF from the public web. */
export function createFetch({ safe, reader }: FetchDeps): Tool {
  return defineTool({
    key: "fetch",
    description:
      "Downloads one web page or PDF and returns its text. Give an address that the user wrote or a search returned; " +
      "other addresses need the user's permission. `from` goes on in a long text.",
    effects: ["egress"],
    result: { trusted: false, private: false },
    args: z.object({
      url: z.string().trim().min(1).max(4000).meta({ description: "Absolute http or https address" }),
      from: z.int().min(0).max(10_000_000).default(0).meta({ description: "Character to begin at" }),
    }),
    addresses: ({ url }) => [url],
    unusable: () => safe.refusal()?.message ?? null,
    async run({ url, from }, { signal }) {
      const page = await safe.fetch({
        purpose: "web-page",
        url,
        signal,
        accepts: (type) => getExtension(type) !== undefined,
      })
      if (page.status < 200 || page.status > 299) {
        throw new AppError("unprocessable", sentence("tools.no_page", { status: page.status }))
      }
      const text = await readText(reader, page.bytes, getExtension(page.mediaType) ?? "txt", signal)
      if (text === "") throw new AppError("unprocessable", sentence("tools.page_without_text"))
      const end = from + maxTextLength
      return {
        content: {
          url: page.url,
          text: text.slice(from, end),
          ...(end < text.length && {
            note: `Cut: ${text.length} characters in all. Continue with from: ${end}.`,
          }),
        },
      }
    },
  })
}

const extensions: Record<string, string> = {
  "": "html",
  "text/html": "html",
  "application/xhtml+xml": "html",
  "application/pdf": "pdf",
  "text/markdown": "md",
  "text/csv": "csv",
  "application/json": "json",
  "application/ld+json": "json",
  "text/xml": "xml",
  "application/xml": "xml",
  "application/rss+xml": "xml",
  "application/atom+xml": "xml",
}

/** Returns the file extension for a media type, or undefined if the type can't be read. */
function getExtension(mediaType: string): string | undefined {
  return extensions[mediaType] ?? (mediaType.startsWith("text/") ? "txt" : undefined)
}

async function readText(
  reader: DocumentReader,
  bytes: Buffer,
  extension: string,
  signal: AbortSignal,
): Promise<string> {
  const document = { bytes, name: `page.${extension}`, article: true as const }
  try {
    const pieces: string[] = []
    for await (const block of readBytes(reader, document, signal)) pieces.push(blockText(block))
    return pieces.join("\n\n")
  } catch (error) {
    if (error instanceof OcrNeeded) {
      throw new AppError("unprocessable", sentence("tools.pictures_of_text"), { cause: error })
    }
    if (error instanceof ParseFailure)
      throw new AppError("unprocessable", Sentence.asIs(error.message), { cause: error })
    throw error
  }
}

const blockText = ({ kind, text }: Block) => (kind === "heading" ? `# ${text}` : text)
