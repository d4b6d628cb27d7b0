import { createSocket } from "node:dgram"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, test } from "@playwright/test"
import { widgetPath, widgetReady } from "../src/shared/widget-document.ts"
import { startBox } from "./running-box.ts"
import { elementAttempts, parsedHints } from "./widget-attempts.ts"

/** In the widget, `tell` reports to the page, and `web` and `stun` are addresses that must not be reached. */
const attempts: Record<string, string> = {
  fetch: `fetch(web + "fetch")`,
  request: `const r = new XMLHttpRequest(); r.open("GET", web + "xhr"); r.send()`,
  sockets: `new WebSocket(web.replace("http", "ws")); new EventSource(web + "es"); navigator.sendBeacon(web + "beacon", "x")`,
  elements: `document.body.innerHTML = '<img src="' + web + 'img"><video src="' + web + 'video" poster="' + web + 'poster"></video><svg><image href="' + web + 'svg"/></svg><input type=image src="' + web + 'input">'`,
  styles: `const s = document.createElement("style"); s.textContent = '@import "' + web + 'import"; body { background: url(' + web + 'css) }'; document.head.append(s)`,
  links: `for (const rel of ["stylesheet", "prefetch", "preload", "modulepreload", "icon"]) { const l = document.createElement("link"); l.rel = rel; l.href = web + rel; l.as = "image"; document.head.append(l) }`,
  scripts: `const s = document.createElement("script"); s.src = web + "script"; document.head.append(s); import(web + "module")`,
  workers: `new Worker(URL.createObjectURL(new Blob(["fetch('" + web + "worker')"])))`,
  form: `const f = document.createElement("form"); f.action = web + "form"; document.body.append(f); f.submit()`,
  refresh: `document.head.insertAdjacentHTML("beforeend", '<meta http-equiv=refresh content="0;url=' + web + 'meta">')`,
  leaving: `location = web + "location?secret"`,
  parent: `parent.location = web + "parent"`,
  top: `top.location = web + "top"`,
  window: `if (window.open(web + "window")) tell("opened")`,
  anchors: `for (const target of ["_self", "_top", "_blank"]) { const a = document.createElement("a"); a.href = web + target; a.target = target; a.ping = web + "ping"; document.body.append(a); a.click() }`,
  frame: `const f = document.createElement("iframe"); f.src = web + "frame"; document.body.append(f)`,
  peers: `const p = new RTCPeerConnection({ iceServers: [{ urls: stun }] }); p.createDataChannel("x"); p.setLocalDescription()`,
  nested: `const f = document.createElement("iframe"); f.srcdoc = nested; document.body.append(f)`,
  attribute: `const f = document.createElement("iframe"); const a = document.createAttribute("srcdoc"); f.setAttributeNode(a); a.value = nested; document.body.append(f)`,
  markup: `document.body.insertAdjacentHTML("beforeend", '<IFRAME srcdoc="' + nested + '"></IFRAME>')`,
  written: `document.write("<ifr"); document.write('ame srcdoc="' + nested + '"></iframe>')`,
  tampered: `String.prototype.replace = function () { return String(this) }; RegExp.prototype.exec = () => null; const f = document.createElement("iframe"); f.srcdoc = nested; document.body.append(f)`,
  javascript: `const f = document.createElement("iframe"); f.src = "javascript:parent.postMessage('escaped', '*')"; document.body.append(f)`,
  reading: `tell("read " + parent.document.title)`,
  storage: `tell("read " + localStorage.length + document.cookie)`,
  speculation: `for (const kind of ["prefetch", "prerender"]) { const s = document.createElement("script"); s.type = "speculationrules"; s.textContent = JSON.stringify({ [kind]: [{ source: "list", urls: [web + kind], eagerness: "immediate" }] }); document.head.append(s) }`,
  rules: `document.body.insertAdjacentHTML("beforeend", '<a href="' + web + 'anchor">x</a>'); const s = document.createElement("script"); s.type = "speculationrules"; s.textContent = '{"prefetch":[{"source":"document","eagerness":"immediate"}]}'; document.head.append(s)`,
  navigation: `navigation.navigate(web + "navigation")`,
  late: `fetchLater(web + "late", { activateAfter: 0 })`,
  attribution: `document.body.insertAdjacentHTML("beforeend", '<img attributionsrc="' + web + 'attribution" src="data:,">'); new Image().attributionSrc = web + "attribution2"`,
  prerender: `const l = document.createElement("link"); l.rel = "prerender"; l.href = web + "rel"; document.head.append(l)`,
  text: `tell("evaluated " + eval("1 + 1"))`,
}

/** If the browser can't block the connections, elements that trigger lookups must not exist; isolated-network.spec.ts listens for them. */
const madeElement = `const made = [document, document.body.shadowRoot].flatMap((root) => [...root?.querySelectorAll("link, meta, base, iframe") ?? []]);
  for (const { localName } of made) tell("made " + localName)`
for (const [name, code] of Object.entries(elementAttempts))
  attempts[`element ${name}`] =
    `const host = (name) => "https://" + name + ".invalid/"; try { ${code} } catch {} ${madeElement}`
attempts["parsed elements"] = `</script>${parsedHints}<script>${madeElement}`

// Catches a widget, perhaps written by a manipulated model, that sends data out or reads the page.
test("a widget shows its content and reaches nothing else", async ({ page }) => {
  await using box = await startBox()
  const reached: string[] = []
  const web = createServer((request, response) => {
    reached.push(request.url ?? "")
    response.setHeader("access-control-allow-origin", "*").end("x")
  }).listen(0, "127.0.0.1")
  web.on("upgrade", (request) => reached.push(`upgrade ${request.url}`))
  const stun = createSocket("udp4")
    .on("message", () => reached.push("stun"))
    .bind(0, "127.0.0.1")
  await Promise.all([once(web, "listening"), once(stun, "listening")])
  const addresses = `const web = "http://127.0.0.1:${(web.address() as AddressInfo).port}/", stun = "stun:127.0.0.1:${stun.address().port}";
    const nested = "<script>parent.postMessage('escaped', '*')</" + "script>";
    const tell = (text) => parent.postMessage(text, "*");`

  /** Messages of a widget until it reports that it is done. By then its attempt was made, and any request it started had time to arrive. */
  const run = (code: string) => {
    const html = `<body><script>${addresses} setTimeout(() => tell("done"), 2000); ${code}</script></body>`
    return page.evaluate<unknown[]>(`new Promise((resolve) => {
      const received = []
      const frame = document.createElement("iframe")
      frame.setAttribute("sandbox", "allow-scripts")
      frame.src = ${JSON.stringify(widgetPath)}
      const isOfAnother = (source) =>
        [...document.querySelectorAll("iframe")].some((each) => each !== frame && each.contentWindow === source)
      const end = () => {
        removeEventListener("message", take)
        frame.remove()
        resolve(received)
      }
      const take = ({ data, source }) => {
        if (isOfAnother(source)) return
        if (data === ${JSON.stringify(widgetReady)}) {
          source.postMessage({ html: ${JSON.stringify(html)} }, "*")
          setTimeout(end, 5000) // of a widget that was replaced by what it navigated to
        } else if (data === "done") end()
        else received.push(data)
      }
      addEventListener("message", take)
      document.body.append(frame)
    })`)
  }

  const home = `${box.url}/`
  await page.goto(home)
  expect(
    await run(
      `document.body.innerHTML = '<button onclick="tell(42)">b</button>'; document.querySelector("button").click()`,
    ),
  ).toEqual([42])
  // All run concurrently, because each takes time; each result names its attempt.
  const widgets = await Promise.all(
    Object.entries(attempts).map(async ([name, code]) => ({ name, messages: await run(code) })),
  )
  expect(widgets.filter((widget) => widget.messages.length > 0)).toEqual([])
  expect(page.url()).toBe(home)
  expect(page.context().pages()).toHaveLength(1)
  expect(reached).toEqual([])
  web.closeAllConnections()
  web.close()
  stun.close()
})
