import { createSocket } from "node:dgram"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, test, type Page } from "@playwright/test"
import { startModelServer, type ModelRequest } from "../../src/box/testing/model-servers/model-server.ts"
import { hostResolverRules } from "../../src/main/guards/allowed-addresses.ts"
import { createClient } from "../../src/shared/client/http-client.ts"
import { widgetPath, widgetReady } from "../../src/shared/widget-document.ts"
import { startBox } from "../running-box.ts"
import { elementAttempts, otherAttempts, parsedHints } from "../widget-attempts.ts"
import { hostileAnswer } from "./hostile-answer.ts"
import { hostileDocuments } from "./hostile-documents.ts"
import { destinations, viewAll, openBrowser, signIn } from "./look.ts"
import { startSinks } from "./sinks.ts"

/** A page without restrictions, and frames whose only restriction is access to their parent. */
async function serveUnrestricted() {
  const server = createServer((request, response) => {
    response.setHeader("content-type", "text/html")
    if (request.url === widgetPath) response.setHeader("content-security-policy", "sandbox allow-scripts")
    response.end(request.url === widgetPath ? unrestrictedWidget : unrestrictedPage)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.dispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const unrestrictedPage = `<a href="https://hovered.example/">A link</a>
  <link rel="preconnect" href="https://hinted.example"><link rel="dns-prefetch" href="https://looked-up.example">`
const unrestrictedWidget = `<script>addEventListener("message", function take({ data }) {
    removeEventListener("message", take); document.open(); document.write(data.html); document.close() })
  parent.postMessage(${JSON.stringify(widgetReady)}, "*")</script>`

/** Time for each group of widgets, because their background work has no end to wait for. */
const widgetMs = 3_000
const batchSize = 34

/** Runs every attempt as a widget of the open page. */
async function runWidgets(page: Page): Promise<void> {
  const codes = Object.values({ ...elementAttempts, ...otherAttempts })
  const scripts = codes.map(
    (code) => `<body><script>
    const host = (name) => "https://" + name.toLowerCase() + ".widget.example/"
    try { ${code} } catch {}</script>`,
  )
  const widgets = [parsedHints, ...scripts]
  for (let from = 0; from < widgets.length; from += batchSize)
    await page.evaluate(
      `Promise.all(${JSON.stringify(widgets.slice(from, from + batchSize))}.map((html) => new Promise((resolve) => {
        const frame = document.createElement("iframe")
        frame.setAttribute("sandbox", "allow-scripts")
        frame.src = ${JSON.stringify(widgetPath)}
        addEventListener("message", ({ data, source }) => {
          if (source !== frame.contentWindow || data !== ${JSON.stringify(widgetReady)}) return
          source.postMessage({ html }, "*")
          setTimeout(() => { frame.remove(); resolve() }, ${widgetMs})
        })
        document.body.append(frame)
      })))`,
    )
}

// Catches a browser or sinks with which the tests below could not fail.
test("what isn't kept from leaving is heard", async () => {
  await using sinks = await startSinks()
  using unrestricted = await serveUnrestricted()
  await using browser = await openBrowser()
  const page = await browser.newPage()
  await page.goto(unrestricted.url)
  await page.getByRole("link").hover()
  await expect
    .poll(() => [...sinks.heard])
    .toEqual(
      expect.arrayContaining([
        "hovered.example",
        "hinted.example",
        "hinted.example in it",
        "looked-up.example",
      ]),
    )
  await runWidgets(page)
  const heard = [...sinks.heard].filter((name) => name.endsWith(".widget.example"))
  expect(heard.length).toBeGreaterThan(80)
  const packets = sinks.left()
  const socket = createSocket("udp4")
  await new Promise((resolve) => socket.send("x", 9, "198.51.100.9", resolve))
  socket.close()
  expect(sinks.left()).toBe(packets + 1)
})

// Catches rules for the desktop's Chromium that have no effect.
test("the desktop's rules keep even that from leaving", async () => {
  await using sinks = await startSinks()
  using unrestricted = await serveUnrestricted()
  const rules = hostResolverRules({ boxHost: "127.0.0.1", feed: null, localOnly: true, platform: "linux" })
  await using browser = await openBrowser(`--host-resolver-rules=${rules}`)
  const page = await browser.newPage()
  await page.goto(unrestricted.url)
  await page.getByRole("link").hover()
  await page.evaluate(
    `fetch("https://fetched.example/").catch(() => fetch("http://198.51.100.9/")).catch(() => undefined)`,
  )
  expect([...sinks.heard]).toEqual([])
  expect(sinks.left()).toBe(0)
})

/** Programs that a model might write. */
const programs = [
  `import socket\nsocket.create_connection(("198.51.100.9", 443), 2)`,
  `import socket\nsocket.getaddrinfo("names.python.example", 443)`,
  `import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ns.sendto(b"x", ("198.51.100.9", 53))`,
  `import urllib.request\nurllib.request.urlopen("https://urls.python.example/", timeout=2).read()`,
  `import subprocess\nsubprocess.run(["getent", "hosts", "programs.python.example"])`,
  `from js import fetch\nawait fetch("https://js.python.example/")`,
  `import micropip\nawait micropip.install("https://wheels.python.example/x-1-py3-none-any.whl")`,
]

/** A local-only box, whose model writes what a test requires, as scripts and users use it. */
async function startLocalBox() {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(
    await startModelServer(({ messages }: ModelRequest) => {
      const question = messages.findLast(({ role }) => role === "user")?.content ?? ""
      if (!question.endsWith("Run them.")) return { text: hostileAnswer }
      if (messages.at(-1)?.role === "tool") return { text: "Done." }
      const widget = { title: "Hints", html: parsedHints }
      return {
        calls: [
          ...programs.map((code) => ({ name: "codeInterpreter", args: { code } })),
          { name: "createWidget", args: widget },
          { name: "fetch", args: { url: "https://fetched.tool.example/" } },
          { name: "webSearch", args: { query: "searched" } },
        ],
      }
    }),
  )
  const box = stack.use(await startBox("--model", model.baseUrl, "--local-only"))
  const resources = stack.move()
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  return { box, client, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

// Catches a lookup, handshake or packet from any process while nothing may leave.
test("nothing leaves while answers, widgets, documents and programs do their worst", async () => {
  await using sinks = await startSinks()
  await using local = await startLocalBox()
  const { box, client } = local
  const builtInTools = { codeInterpreter: true, createWidget: true, fetch: true, webSearch: true }
  const { assistant } = await client.assistants.create({
    body: { name: "Helper", customImage: "https://image.assistant.example/x.png", builtInTools },
  })
  const sender = { kind: "user", name: "Kim", imageUrl: "https://image.sender.example/x.png" } as const
  await client.notifications.send({
    body: { title: "https://title.sender.example/", preview: hostileAnswer.slice(0, 1_000), sender },
  })
  const { vector } = await client.folders.create({ body: { name: "Hostile" } })
  const documents = hostileDocuments("document.example")
  for (const [fileName, bytes] of Object.entries(documents))
    await client.files.upload({
      params: { id: vector.id },
      file: new Blob([new Uint8Array(bytes)]),
      fileName,
    })
  const ask = async (id: string, question: string) => {
    const messages = [{ role: "user" as const, content: question }]
    const body = { id, messages, boxAddress: box.url, assistantId: assistant.id }
    for await (const event of client.chat.send({ body })) if (event.type === "finish") break
  }
  await Promise.all([ask("answer", "Show me."), ask("programs", "Run them.")])

  await using browser = await openBrowser()
  const page = await browser.newPage()
  await signIn(page, box)
  await page.goto(`${box.url}/#/inter/chat/answer`)
  await expect(page.getByText("the end of the answer")).toBeVisible()
  await viewAll(page)
  expect(await page.evaluate(destinations)).toEqual([])
  await page.goto(`${box.url}/#/inter/chat/programs`)
  const widget = page.getByRole("figure", { name: "Hints" })
  await expect(widget.locator("iframe")).toBeVisible()
  await viewAll(page)
  await runWidgets(page)

  const listFiles = async () => (await client.files.list({ params: { id: vector.id } })).files
  const isDone = ({ status }: { status: string }) => status !== "queued" && status !== "processing"
  await expect.poll(async () => (await listFiles()).every(isDone)).toBe(true)
  const read = (await listFiles()).filter(({ status }) => status === "completed")
  expect(read.length).toBeGreaterThanOrEqual(Object.keys(documents).length - 1) // the altered PDF may be treated as damaged
  for (const { id } of read) {
    await page.goto(`${box.url}/#/dc/vector/${vector.id}?file=${id}`)
    await expect(page.getByRole("complementary", { name: "Document" })).toBeVisible()
    await viewAll(page)
    expect(await page.evaluate(destinations)).toEqual([])
  }
  for (const path of ["assistants", "settings/privacy", "settings/integrations"]) {
    await page.goto(`${box.url}/#/${path}`)
    await viewAll(page)
  }
  await page
    .getByRole("button", { name: /^Inbox/ })
    .first()
    .click()
  await viewAll(page)

  expect([...sinks.heard]).toEqual([])
  expect(sinks.left()).toBe(0)
  const { egress } = await client.privacy.list()
  expect(egress.filter(({ outcome }) => outcome !== "refused")).toEqual([])
})
