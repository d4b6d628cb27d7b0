import { afterAll, beforeAll, expect, it } from "vitest"
import { openOutbound } from "../core/outbound/testing/open-outbound.ts"
import { createSafeFetch, type SafeFetch } from "../core/safe-fetch/safe-fetch.ts"
import { startWebServer, type WebServer, testContext } from "./testing/tool-context.ts"
import { createWebSearch } from "./web-search.ts"
import { brave, duckduckgo } from "./web-search/search-engines.ts"

let web: WebServer
let safe: SafeFetch
const resources = new AsyncDisposableStack()
const { signal } = testContext()
beforeAll(async () => {
  web = resources.use(await startWebServer())
  safe = resources.use(createSafeFetch(openOutbound(), { permits: web.permits }))
})
afterAll(() => resources.disposeAsync())

const json = (path: string, body: unknown) => web.answer(path, "application/json", JSON.stringify(body))
const tool = (provider: "searxng" | "brave" | "off", key: string | null = null) =>
  createWebSearch({
    safe,
    settings: () => ({ provider, url: `${web.url}/searx` }),
    apiKey: () => Promise.resolve(key),
  })

it("searches with SearXNG, even in the owner's network, and limits what it shows", async () => {
  const good = {
    title: " Mount \n Etna ",
    url: "https://example.com/etna",
    content: "A volcano. ".repeat(200),
    engine: "x",
  }
  const results = [
    { title: "bad", url: "javascript:alert(1)", content: "x" },
    good,
    { ...good, content: null, title: "t".repeat(999) },
    ...Array.from({ length: 30 }, () => good),
  ]
  json("/searx/search", { query: "etna", number_of_results: 0, results, answers: [], suggestions: [] })
  await using own = createSafeFetch(openOutbound())
  const search = createWebSearch({
    safe: own,
    settings: () => ({ provider: "searxng", url: `${web.url}/searx` }),
    apiKey: () => Promise.resolve(null),
  })
  const content = (await search.run({ query: "etna & co" }, testContext())).content as {
    title: string
    snippet: string
  }[]
  expect(web.requests.at(-1)?.url).toBe("/searx/search?q=etna+%26+co&format=json")
  expect(content).toHaveLength(10)
  expect(content[0]).toMatchObject({ title: "Mount Etna", url: "https://example.com/etna" })
  expect(content[0]?.snippet).toHaveLength(600)
  expect(content[1]).toMatchObject({ snippet: "" })
})

it("searches with Brave and sends its key nowhere else", async () => {
  const results = [
    {
      title: "Etna &amp; I",
      url: "https://example.com/",
      description: "A <strong>volcano</strong>",
      age: "x",
    },
  ]
  json("/res/v1/web/search", {
    type: "search",
    query: { original: "etna" },
    web: { type: "search", results },
  })
  const search = brave(safe, "key-1", web.url)
  expect(await search("etna", signal)).toEqual([
    { title: "Etna & I", url: "https://example.com/", snippet: "A volcano" },
  ])
  expect(web.requests.at(-1)?.headers["x-subscription-token"]).toBe("key-1")
  json("/res/v1/web/search", { type: "search", query: {} })
  expect(await search("nothing", signal)).toEqual([])
  web.on("/res/v1/web/search", (_request, response) =>
    response.writeHead(302, { location: "/elsewhere" }).end(),
  )
  const before = web.requests.length
  await expect(search("etna", signal)).rejects.toThrow("answered 302")
  expect(web.requests.length).toBe(before + 1)
})

const page = `<div class="serp__results"><div id="links" class="results">
<div class="result results_links result--ad"><h2 class="result__title"><a rel="nofollow" class="result__a" href="https://duckduckgo.com/y.js?ad_domain=x">Ad</a></h2>
  <a class="result__snippet" href="https://duckduckgo.com/y.js?ad_domain=x">Buy</a></div>
<div class="result results_links web-result"><h2 class="result__title">
  <a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fexample.com%2Fa%3Fb%3D1%26c&amp;rut=abc">Mount <b>Etna</b> &amp; more</a></h2>
  <a class="result__url" href="//duckduckgo.com/l/?uddg=x"> example.com/a </a>
  <a class="result__snippet" href="//duckduckgo.com/l/?uddg=x">The <b>volcano</b>.</a></div>
<div class="result"><a class="result__a" href="https://example.org/">Plain</a></div></div></div>`

it("searches with DuckDuckGo, without its advertisements", async () => {
  web.html("/html/", page)
  expect(await duckduckgo(safe, web.url)("etna", signal)).toEqual([
    { title: "Mount Etna & more", url: "https://example.com/a?b=1&c", snippet: "The volcano." },
    { title: "Plain", url: "https://example.org/", snippet: "" },
  ])
  web.html("/html/", '<div class="no-results">No results found for <b>x</b></div>')
  expect(await duckduckgo(safe, web.url)("x", signal)).toEqual([])
  web.html(
    "/html/",
    '<form id="challenge-form"><div class="anomaly-modal__title">Select all squares</div></form>',
  )
  await expect(duckduckgo(safe, web.url)("x", signal)).rejects.toThrow("CAPTCHA")
})

it.each([
  [401, "Check its settings"],
  [429, "doesn't accept more searches"],
  [500, "answered 500"],
])("explains status %i", async (status, reason) => {
  web.on("/searx/search", (_request, response) => response.writeHead(status).end("{}"))
  await expect(tool("searxng").run({ query: "x" }, testContext())).rejects.toThrow(reason)
})

it("explains other errors", async () => {
  web.html("/searx/search", "<h1>Welcome</h1>")
  await expect(tool("searxng").run({ query: "x" }, testContext())).rejects.toThrow("other than")
  expect(await tool("searxng").unusable?.()).toBeNull()
  expect(await tool("off").unusable?.()).toContain("Settings")
  expect(await tool("brave").unusable?.()).toContain("key")
  expect(await tool("brave", "k").unusable?.()).toBeNull()
  await expect(tool("off").run({ query: "x" }, testContext())).rejects.toMatchObject({ code: "unavailable" })
})
