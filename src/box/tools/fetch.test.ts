import { afterAll, beforeAll, expect, it } from "vitest"
import { spawnNodeChild } from "../core/children/child.ts"
import { silentLogger } from "../core/logging/logger.ts"
import { openOutbound } from "../core/outbound/testing/open-outbound.ts"
import { createSafeFetch } from "../core/safe-fetch/safe-fetch.ts"
import { createDocumentReader } from "../parsers/process/document-reader.ts"
import { makePdf } from "../parsers/testing/make-pdf.ts"
import { createFetch } from "./fetch.ts"
import { startWebServer, type WebServer, testContext } from "./testing/tool-context.ts"
import type { Tool } from "./tool.ts"

let web: WebServer
let fetchPage: Tool
let hurried: Tool
const resources = new AsyncDisposableStack()
beforeAll(async () => {
  web = resources.use(await startWebServer())
  const safe = resources.use(createSafeFetch(openOutbound(), { permits: web.permits }))
  const within = (processorMs: number) => {
    const limits = { processorMs, characters: 500_000 }
    const reader = createDocumentReader({ spawn: spawnNodeChild, logger: silentLogger, slots: 1, limits })
    return createFetch({ safe, reader: resources.use(reader) })
  }
  // A long timeout, because the machine may be busy.
  fetchPage = within(60_000)
  hurried = within(5_000)
})
afterAll(() => resources.disposeAsync())

interface Page {
  url: string
  text: string
  note?: string
}
const read = async (path: string, args: object = {}, tool = fetchPage) =>
  (await tool.run({ url: web.url + path, ...args }, testContext())).content as Page
const patient = { timeout: 240_000 }

const sentence =
  "The lighthouse keeper counted the ships that passed before dawn, and wrote each into his book. "
const paragraphs = Array.from({ length: 8 }, (_, n) => `<p>Paragraph ${n}. ${sentence.repeat(5)}</p>`).join(
  "",
)

// Catches menus and cookie notices that leave no room for the page's own text in what a model can read.
it("returns the main text of a page with its headings", patient, async () => {
  web.html(
    "/article",
    `<title>Keeper</title><nav><a href="/a">Home</a><a href="/b">Prices</a></nav><div class="cookie-banner">Accept cookies</div>
     <article><h1>Keeper</h1><h2>Nights</h2>${paragraphs}<table><tr><th>Ship</th><td>Anna</td></tr></table></article>
     <script>alert("script")</script><footer>All rights reserved</footer>`,
  )
  const { url, text } = await read("/article")
  expect(url).toBe(`${web.url}/article`)
  expect(text).toContain("Nights")
  expect(text).toContain("Paragraph 7. The lighthouse keeper")
  expect(text).toContain("Anna")
  expect(text).not.toMatch(/Prices|cookies|alert|rights reserved/)
})

it("reads pages without a main text as a whole, and other text unchanged", patient, async () => {
  web.html("/links", "<ul><li>Alpha</li><li>Beta</li></ul>")
  expect((await read("/links")).text).toMatch(/Alpha[^]*Beta/)
  web.answer("/data.json", "application/json; charset=utf-8", '{"town":"Ferrara"}')
  expect((await read("/data.json")).text).toContain("Ferrara")
  web.answer("/notes", "text/plain", "plain words")
  expect((await read("/notes")).text).toBe("plain words")
  web.answer(
    "/latin",
    "text/html; charset=iso-8859-1",
    Buffer.from("<meta charset=iso-8859-1><p>perch\xe9 no", "latin1"),
  )
  expect((await read("/latin")).text).toBe("perché no")
})

it("reads PDFs", patient, async () => {
  const pdf = makePdf([{ lines: [{ text: "Ships of the year" }] }])
  web.answer("/paper.pdf", "application/pdf", Buffer.from(pdf))
  expect((await read("/paper.pdf")).text).toContain("Ships of the year")
})

it("continues a long text from an offset", patient, async () => {
  web.answer("/long", "text/plain", `${"a".repeat(30_000)}\n\n${"b".repeat(30_000)}`)
  const first = await read("/long")
  expect(first.text).toHaveLength(50_000)
  expect(first.note).toContain("from: 50000")
  expect((await read("/long", { from: 50_000 })).text).toMatch(/^[b\n]+$/)
})

it.each([
  ["/picture", "image/png", "png", "image/png"],
  ["/program", "application/octet-stream", "MZ", "octet-stream"],
  ["/empty", "text/html", "<p></p>", "no text"],
  ["/broken.pdf", "application/pdf", "not a pdf", ""],
])("explains why %s can't be read", patient, async (path, type, body, reason) => {
  web.answer(path, type, body)
  const failing = read(path)
  await expect(failing).rejects.toMatchObject({ code: "unprocessable" })
  await expect(failing).rejects.toThrow(reason)
})

it("reports what a server answered instead", async () => {
  await expect(read("/missing")).rejects.toThrow("404")
})

// Catches a page that keeps a process busy forever or uses up all memory.
it("survives hostile pages", { timeout: 480_000 }, async () => {
  const hostile = {
    "/deep": "<div>".repeat(400_000),
    "/attributes": `<p ${'a="b" '.repeat(300_000)}>x`,
    "/tables": `${"<table><tr><td>".repeat(60_000)}text`,
    "/commas": `<p>${"a,".repeat(1_000_000)}</p>`,
    "/formatting": `${"<b><i><a>".repeat(100_000)}text`,
  }
  for (const [path, body] of Object.entries(hostile)) {
    web.html(path, body)
    await read(path, {}, hurried).catch((error: unknown) =>
      expect(error, path).toMatchObject({ code: "unprocessable" }),
    )
  }
  web.html("/after", "<p>still here</p>")
  const after = () => read("/after", {}, hurried).then(({ text }) => text, String)
  await expect.poll(after, { timeout: 120_000 }).toBe("still here")
})

it("gives the policy the address, and never reaches a private address", async () => {
  expect(fetchPage.addresses?.({ url: "http://example.com/?q=1" })).toEqual(["http://example.com/?q=1"])
  const inside = fetchPage.run({ url: "http://127.0.0.1:8080/" }, testContext())
  await expect(inside).rejects.toMatchObject({ code: "forbidden_address" })
})
