import { z } from "zod"
import { AppError } from "../../shared/contract/errors.ts"
import type { WebSearchSettings } from "../../shared/contract/settings.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import type { SafeFetch } from "../core/safe-fetch/safe-fetch.ts"
import { defineTool, type Tool } from "./tool.ts"
import { ask, readJson, type Search, type SearchResult } from "./web-search/engine.ts"

const Results = z.object({
  results: z.array(z.object({ title: z.string(), url: z.string(), content: z.string().nullish() })),
})

/**
 * Searches with a SearXNG server whose settings allow the `json` format. The owner set its address, so it may be in the owner's network.
 */
function searxng(safe: SafeFetch, address: string): Search {
  return async (query, signal) => {
    const url = new URL("search", address.endsWith("/") ? address : `${address}/`)
    url.search = new URLSearchParams({ q: query, format: "json" }).toString()
    const text = await ask(safe, "SearXNG", { url: url.href, signal, ownersAddress: true })
    const { results } = readJson("SearXNG", text, Results)
    return results.map(({ title, url, content }) => ({ title, url, snippet: content ?? "" }))
  }
}

export interface WebSearchDeps {
  safe: SafeFetch
  settings(): Pick<WebSearchSettings, "provider" | "url">
  apiKey(): Promise<string | null>
}

const limits = { results: 10, title: 200, url: 2000, snippet: 600 }
const noSearch = "no web search is chosen under Settings"
const noKey = "Brave's key is missing under Settings"

/** Searches the public web with the search engine that the owner selected. */
export function createWebSearch({ safe, settings, apiKey }: WebSearchDeps): Tool {
  /** Returns the engine, or why none is available. */
  async function engine(): Promise<Search | string> {
    const { provider, url } = settings()
    if (provider === "searxng" && url !== null) return searxng(safe, url)
    if (provider === "duckduckgo") {
      const { duckduckgo } = await import("./web-search/search-engines.ts")
      return duckduckgo(safe)
    }
    if (provider !== "brave") return noSearch
    const key = await apiKey()
    if (key === null) return noKey
    const { brave } = await import("./web-search/search-engines.ts")
    return brave(safe, key)
  }

  return defineTool({
    key: "webSearch",
    description:
      "Searches the public web; returns titles, addresses and snippets. Read a page with fetch when that isn't enough. " +
      "The query leaves this computer: put nothing private into it.",
    effects: ["egress"],
    result: { trusted: false, private: false },
    args: z.object({ query: z.string().trim().min(1).max(400) }),
    async unusable() {
      const found = await engine()
      if (typeof found === "string") return found
      const { provider, url } = settings()
      return safe.refusal(provider === "searxng" && url !== null ? url : undefined)?.message ?? null
    },
    async run({ query }, { signal }) {
      const search = await engine()
      if (typeof search === "string")
        throw new AppError("unavailable", sentence("tools.no_web_search", { why: search }))
      const results = await search(query, signal)
      return { content: results.filter(isWebPage).slice(0, limits.results).map(cut) }
    },
  })
}

const isWebPage = ({ url }: SearchResult) =>
  /^https?:\/\//i.test(url) && url.length <= limits.url && URL.canParse(url)

const cut = ({ title, url, snippet }: SearchResult): SearchResult => ({
  title: collapse(title).slice(0, limits.title),
  url,
  snippet: collapse(snippet).slice(0, limits.snippet),
})

const collapse = (text: string) => text.replace(/\s+/g, " ").trim()
