import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { SafeFetch, SafeRequest } from "../../core/safe-fetch/safe-fetch.ts"

export interface SearchResult {
  title: string
  url: string
  snippet: string
}

/** Queries one search engine. Throws AppError if it fails, with what can be done about it. */
export type Search = (query: string, signal: AbortSignal) => Promise<SearchResult[]>

const limits = { maxBytes: 2_000_000, limitMs: 10_000 }

/** Returns an engine's response. Errors name the engine. */
export async function ask(
  safe: SafeFetch,
  engine: string,
  request: Pick<SafeRequest, "url" | "headers" | "signal" | "ownersAddress">,
): Promise<string> {
  const { status, bytes } = await safe.fetch({ ...limits, ...request, purpose: "web-search" })
  if (status === 401 || status === 403) {
    throw new AppError("unavailable", sentence("tools.search_refused", { engine, status }))
  }
  if (status === 429) throw new AppError("unavailable", sentence("tools.search_busy", { engine }))
  if (status !== 200) throw new AppError("unavailable", sentence("tools.search_status", { engine, status }))
  return bytes.toString("utf8")
}

/** Parses an engine's JSON response with `schema`. */
export function readJson<T>(engine: string, text: string, schema: { parse(value: unknown): T }): T {
  try {
    return schema.parse(JSON.parse(text))
  } catch (cause) {
    throw new AppError("unavailable", sentence("tools.search_unknown", { engine }), { cause })
  }
}
