import { Parser } from "htmlparser2"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { SafeFetch } from "../../core/safe-fetch/safe-fetch.ts"
import { ask, type Search, type SearchResult } from "./engine.ts"

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
