import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest"
import type { FileEntry } from "../../../../shared/contract/files.ts"
import { openOutbound } from "../../../core/outbound/testing/open-outbound.ts"
import { createSafeFetch } from "../../../core/safe-fetch/safe-fetch.ts"
import { waitFor } from "../../../../shared/testing/wait-for.ts"
import { startFolderServer, type FolderServer } from "../../../testing/folder-server.ts"
import { startWebServer, type WebServer } from "../../../tools/testing/tool-context.ts"

const resources = new AsyncDisposableStack()
let web: WebServer
let server: FolderServer
let folderId: string
/** Stands in for the owner's private network: only the hosts listed here can be reached. */
let ownHosts: string[] = []

const outbound = openOutbound()
const open = (dataDir?: string) =>
  startFolderServer({
    ...(dataDir !== undefined && { dataDir }),
    web: resources.use(createSafeFetch(outbound, { permits: web.permits, ownHosts: () => ownHosts })),
  })

beforeAll(async () => {
  web = resources.use(await startWebServer())
  server = resources.use(await open())
})
afterAll(() => resources.disposeAsync())
beforeEach(async () => {
  folderId = (await alice().folders.create({ body: { name: "Web" } })).vector.id
})
afterEach(() => {
  ownHosts = []
  outbound.set({ on: false })
})

const alice = () => server.getClient("alice")
const params = (fileId: string) => ({ id: folderId, fileId })
const add = (path: string, refreshHours?: number | null) =>
  alice().files.addUrl({
    params: { id: folderId },
    body: { url: web.url + path, ...(refreshHours !== undefined && { refreshHours }) },
  })
const getId = ({ files }: Awaited<ReturnType<typeof add>>) => files[0]?.id ?? ""
const getText = async (fileId: string) => (await alice().files.text({ params: params(fileId) })).text()

const prose = "The keeper counted the ships that passed before dawn, and wrote each into his book. ".repeat(
  12,
)
const page = (about: string) =>
  `<title>The lighthouse</title><nav><a href="/x">Prices</a></nav><script>alert(1)</script>
   <article><h1>The lighthouse</h1><h2>Nights &amp; days</h2><p>${prose}</p><p>${about}</p>
   <table><tr><th>Ship</th><th>Year</th></tr><tr><td>Anna</td><td>1907</td></tr></table></article><footer>Cookies</footer>`

/** Resolves when a notification reports the file in the wanted state. */
const waitForFile = async (fileId: string, wanted: (file: FileEntry) => boolean) => {
  for (;;) {
    const { file } = await alice().files.read({ params: params(fileId) })
    if (wanted(file)) return file
    await server.pushed(({ message }) => message.type === "file" && message.file.id === fileId)
  }
}

/** Makes the page due now. */
const makeDue = (fileId: string) => alice().files.retry({ params: params(fileId) })

// Catches menus and scripts in the stored content, a page without its address, and a page that search doesn't find.
it("stores the readable text of a page as a file like any other", async () => {
  web.html("/light", page("Fog & <b>mist</b>"))
  const receipt = await add("/light", 24)
  expect(receipt).toMatchObject({ status: "accepted", files: [{ filename: "The lighthouse.html" }] })
  const file = await waitForFile(getId(receipt), ({ status }) => status === "completed")
  expect(file.web).toMatchObject({ url: `${web.url}/light`, refreshHours: 24, problem: null })
  expect(Date.parse(file.web?.refreshAt ?? "") - Date.now()).toBeGreaterThan(23 * 3_600_000)
  const text = await getText(file.id)
  expect(text).toContain(`${web.url}/light`)
  expect(text).toMatch(/Nights & days[\s\S]*wrote each into his book[\s\S]*Fog & mist[\s\S]*Anna \| 1907/)
  const bytes = await (await alice().files.content({ params: params(file.id) })).text()
  expect(bytes).not.toMatch(/script|Prices|Cookies/)
})

// Catches PDFs and plain text that are treated as HTML or that lose their names.
it("stores content that isn't HTML unchanged", async () => {
  web.answer("/notes/today.md", "text/plain; charset=utf-8", "# Today\n\nA walrus came by.\n")
  web.answer("/data", "application/json", JSON.stringify({ animal: "walrus" }))
  web.answer("/program.bin", "application/octet-stream", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 3]))
  expect((await add("/notes/today.md")).files[0]?.filename).toBe("today.md")
  expect((await add("/data")).files[0]?.filename).toBe("data.json")
  await expect(add("/program.bin")).rejects.toMatchObject({ code: "unsupported_type" })
  web.on("/empty", (_request, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<script>1</script>"),
  )
  await expect(add("/empty")).rejects.toMatchObject({ code: "unprocessable" })
  await expect(add("/nowhere")).rejects.toThrow("404")
})

// Catches a folder owner who makes the server fetch pages from its own network, directly or through a redirect.
it("fetches no private address, even through redirects, unless the owner has named its host", async () => {
  const inside = await startWebServer()
  resources.use(inside)
  inside.html("/secret", page("Inside"))
  web.on("/moved", (_request, response) =>
    response.writeHead(302, { location: `${inside.url}/secret` }).end(),
  )
  const ask = (url: string) => alice().files.addUrl({ params: { id: folderId }, body: { url } })
  const refused = { code: "forbidden_address", status: 400 }
  for (const url of [`${inside.url}/secret`, `${web.url}/moved`, "http://10.0.0.1/", "http://[::1]:9/"])
    await expect(ask(url), url).rejects.toMatchObject(refused)
  await expect(ask("file:///etc/passwd")).rejects.toMatchObject({ code: "validation" })
  await expect(ask("http://name:word@example.com/")).rejects.toMatchObject({ code: "validation" })
  expect(inside.requests).toEqual([])

  ownHosts = ["127.0.0.1:1", "localhost:80"]
  await expect(ask(`${inside.url}/secret`)).rejects.toMatchObject(refused)
  ownHosts = [new URL(inside.url).host]
  expect(getId(await ask(`${web.url}/moved`))).not.toBe("")
})

// Catches an address that is resolved or requested although no data may leave this computer.
it("sends no request to other computers when local-only is on", async () => {
  outbound.set({ on: true })
  const body = { url: "https://example.com/" }
  const asked = alice().files.addUrl({ params: { id: folderId }, body })
  await expect(asked).rejects.toMatchObject({ code: "local_only", status: 403 })
})

// Catches an unchanged page that is indexed again every hour, and a changed page that is never indexed again.
it("fetches pages again, and indexes only those whose content has changed", async () => {
  web.html("/news", page("First"))
  const fileId = getId(await add("/news", 1))
  const first = await waitForFile(fileId, ({ status }) => status === "completed")

  web.html("/news", `${page("First")}<!-- ${Date.now()} -->`)
  await makeDue(fileId)
  const same = await waitForFile(fileId, ({ web: now }) => now?.fetchedAt !== first.web?.fetchedAt)
  expect(same).toMatchObject({
    status: "completed",
    updatedAt: first.updatedAt,
    modifiedAt: first.modifiedAt,
  })

  web.html("/news", page("Second"))
  await makeDue(fileId)
  const second = await waitForFile(
    fileId,
    ({ web: now, status, updatedAt }) =>
      now?.fetchedAt !== same.web?.fetchedAt && status === "completed" && updatedAt !== same.updatedAt,
  )
  expect(second.name).toBe(first.name)
  expect(await getText(fileId)).toContain("Second")
})

// Catches a failure that empties the copy or that isn't reported.
it("keeps the copy and reports when and why a fetch failed", async () => {
  web.html("/gone", page("Before"))
  const fileId = getId(await add("/gone", 2))
  await waitForFile(fileId, ({ status }) => status === "completed")
  web.on("/gone", (_request, response) => response.writeHead(500).end())
  await makeDue(fileId)
  const { web: failed } = await waitForFile(fileId, (file) => file.web?.problem != null)
  expect(failed?.problem).toMatchObject({ error: expect.stringContaining("500") as string })
  expect(Date.parse(failed?.refreshAt ?? "")).toBeGreaterThan(Date.now() + 3_600_000)
  expect(await getText(fileId)).toContain("Before")

  const { file } = await alice().files.update({ params: params(fileId), body: { refreshHours: null } })
  expect(file.web).toMatchObject({ refreshHours: null, refreshAt: null })
  const note = await alice().files.upload({
    params: { id: folderId },
    file: new Blob(["A note"]),
    fileName: "n.txt",
  })
  const change = { params: params(getId(note)), body: { refreshHours: 1 } }
  await expect(alice().files.update(change)).rejects.toMatchObject({ code: "validation" })
})

// Catches a refresh that is lost in a restart.
it("fetches pages after a restart that became due while the server was off", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "casella-web-"))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  web.html("/off", page("Before"))
  const before = await open(dataDir)
  const { vector } = await before.getClient("alice").folders.create({ body: { name: "Web" } })
  const body = { url: `${web.url}/off`, refreshHours: 1 }
  await before.getClient("alice").files.addUrl({ params: { id: vector.id }, body })
  await before.fileIs("The lighthouse.html", "completed")
  await before.db.updateTable("files").set({ refreshAt: "2020-01-01T00:00:00.000Z" }).execute()
  await before[Symbol.asyncDispose]()

  web.html("/off", page("After the storm"))
  await using after = await open(dataDir)
  const { files } = after.getClient("alice")
  await waitFor(async () => {
    const { id } = await after.fileIs("The lighthouse.html", "completed")
    const text = await files.text({ params: { id: vector.id, fileId: id } }) // refused while the page is read again
    expect(await text.text()).toContain("After the storm")
  })
})
