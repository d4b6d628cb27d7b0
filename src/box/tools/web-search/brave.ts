import { Parser } from "htmlparser2"
import { z } from "zod"
import type { SafeFetch } from "../../core/safe-fetch/safe-fetch.ts"
import { ask, readJson, type Search } from "./engine.ts"

/** Removes the HTML that an engine uses to emphasise text. */
function plainText(html: string): string {
  let text = ""
  const parser = new Parser({ ontext: (piece) => (text += piece) })
  parser.end(html)
  return text
}

const Results = z.object({
  web: z
    .object({
      results: z.array(z.object({ title: z.string(), url: z.string(), description: z.string().nullish() })),
    })
    .nullish(),
})

/** Searches with Brave's API. */
export function brave(safe: SafeFetch, apiKey: string, address = "https://api.search.brave.com"): Search {
  return async (query, signal) => {
    const url = `${address}/res/v1/web/search?${new URLSearchParams({ q: query, count: "10" }).toString()}`
    const headers = { accept: "application/json", "x-subscription-token": apiKey }
    const { web } = readJson("Brave", await ask(safe, "Brave", { url, headers, signal }), Results)
    return (web?.results ?? []).map(({ title, url, description }) => ({
      title: plainText(title),
      url,
      snippet: plainText(description ?? ""),
    }))
  }
}
