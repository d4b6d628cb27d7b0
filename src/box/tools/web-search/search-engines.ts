import { Parser } from "htmlparser2"
import { z } from "zod"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { SafeFetch } from "../../core/safe-fetch/safe-fetch.ts"
import { ask, readJson, type Search, type SearchResult } from "./engine.ts"

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

/** Searches with DuckDuckGo's page for browsers without scripts, which needs no account. */
export function duckduckgo(safe: SafeFetch, address = "https://html.duckduckgo.com"): Search {
  return async (query, signal) => {
    const url = `${address}/html/?${new URLSearchParams({ q: query }).toString()}`
    const page = await ask(safe, "DuckDuckGo", { url, signal })
    const results = readResults(page)
    if (results.length === 0 && !page.includes("no-results")) {
      throw new AppError("unavailable", sentence("tools.duckduckgo_wants_person"))
    }
    return results
  }
}

function readResults(page: string): SearchResult[] {
  const results: SearchResult[] = []
  let current: SearchResult | undefined
  let field: "title" | "snippet" | undefined
  const parser = new Parser({
    onopentag(name, { class: classes = "", href = "" }) {
      if (name !== "a") return
      const names = classes.split(/\s+/)
      if (names.includes("result__a")) {
        const url = getTarget(href)
        current = url === undefined ? undefined : { title: "", url, snippet: "" }
        if (current) results.push(current)
        field = "title"
      } else if (names.includes("result__snippet")) field = "snippet"
    },
    ontext(text) {
      if (current && field) current[field] += text
    },
    onclosetag(name) {
      if (name === "a") field = undefined
    },
  })
  parser.end(page)
  return results
}

/** Result links are DuckDuckGo redirects that contain the real address; advertising links contain none. */
function getTarget(href: string): string | undefined {
  const url = new URL(href, "https://duckduckgo.com")
  if (!url.hostname.endsWith("duckduckgo.com")) return url.href
  return url.pathname === "/l/" ? (url.searchParams.get("uddg") ?? undefined) : undefined
}
