import { z } from "zod"
import type { SafeFetch } from "../../core/safe-fetch/safe-fetch.ts"
import { ask, readJson, type Search } from "./engine.ts"

const Results = z.object({
  results: z.array(z.object({ title: z.string(), url: z.string(), content: z.string().nullish() })),
})

/**
 * Searches with a SearXNG server whose settings allow the `json` format. The owner set its address, so it may be in the owner's network.
 */
export function searxng(safe: SafeFetch, address: string): Search {
  return async (query, signal) => {
    const url = new URL("search", address.endsWith("/") ? address : `${address}/`)
    url.search = new URLSearchParams({ q: query, format: "json" }).toString()
    const text = await ask(safe, "SearXNG", { url: url.href, signal, ownersAddress: true })
    const { results } = readJson("SearXNG", text, Results)
    return results.map(({ title, url, content }) => ({ title, url, snippet: content ?? "" }))
  }
}
