import { once } from "node:events"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { openOutbound } from "./outbound/testing/open-outbound.ts"
import { createSafeFetch, type SafeFetch } from "./safe-fetch/safe-fetch.ts"
import { addUser, startTestBox } from "../testing/test-box.ts"
import { createFetchedPictures, type FetchedPictures } from "./fetched-pictures.ts"

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
)

let directory: string
let server: Server
let safe: SafeFetch
let pictures: FetchedPictures
let asked: number
let answer: RequestListener
let address: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-pictures-"))
  asked = 0
  server = createServer((request, response) => {
    asked++
    answer(request, response)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  address = `http://127.0.0.1:${port}/a`
  safe = createSafeFetch(openOutbound(), { permits: (_address, to) => to === port })
  pictures = createFetchedPictures(directory, safe)
})
afterEach(async () => {
  await safe[Symbol.asyncDispose]()
  server.closeAllConnections()
  server.close()
  await rm(directory, { recursive: true, force: true })
})

it("fetches an image once, even for concurrent requests, and keeps it", async () => {
  answer = (_request, response) => response.writeHead(200, { "content-type": "text/html" }).end(png)
  const found = await Promise.all([
    pictures.get(address, "sender-picture"),
    pictures.get(address, "sender-picture"),
  ])
  expect(found[1]).toEqual({ mediaType: "image/png", bytes: png })
  await createFetchedPictures(directory, safe).get(address, "sender-picture")
  expect(asked).toBe(1)
})

// Catches script in an SVG, or a page, that the box serves from its own address.
it.each([
  ["an SVG", "<svg xmlns='http://www.w3.org/2000/svg'/>"],
  ["too much", Buffer.concat([png, Buffer.alloc(512_000)])],
  ["nothing", ""],
])("rejects %s as an image, and doesn't request it again at once", async (_name, body) => {
  answer = (_request, response) => response.writeHead(200, { "content-type": "image/png" }).end(body)
  await expect(pictures.get(address, "sender-picture")).rejects.toMatchObject({ code: "not_found" })
  await expect(pictures.get(address, "sender-picture")).rejects.toMatchObject({ code: "not_found" })
  expect(asked).toBe(1)
  expect(await readdir(directory)).toEqual([])
})

// Catches a notification that makes the box call a server in its own network, and access to other users' images.
it("requests a sender's image only at public addresses, and only for users who may read the notification", async () => {
  await using box = await startTestBox()
  const send = async (sender: { kind: "user"; name: string; imageUrl?: string }) =>
    (await box.client.notifications.send({ body: { title: "Hi", sender } })).notification.id
  const id = await send({ kind: "user", name: "Ann", imageUrl: address })
  await expect(box.client.notifications.avatar({ params: { id } })).rejects.toMatchObject({
    code: "not_found",
  })
  expect(asked).toBe(0)
  const none = await send({ kind: "user", name: "Ann" })
  await expect(box.client.notifications.avatar({ params: { id: none } })).rejects.toThrow(/no image/)
  const other = await addUser(box, "eve@example.com")
  await expect(other.notifications.avatar({ params: { id } })).rejects.toThrow(/Notification not found/)
})

// Catches an image that stays on the disk or on screen when its assistant was deleted or has another image.
it("deletes a forgotten image and fetches it again", async () => {
  answer = (_request, response) => response.writeHead(200).end(png)
  await pictures.get(address, "assistant-picture")
  expect(await readdir(directory)).toHaveLength(1)
  await pictures.forget(address)
  expect(await readdir(directory)).toEqual([])
  await pictures.get(address, "assistant-picture")
  expect(asked).toBe(2)
})

// Catches an assistant that makes the box call a server in its own network, and access to another user's assistants.
it("requests an assistant's image only at public addresses, for users who may use it, and with its own purpose", async () => {
  await using box = await startTestBox()
  const { assistants } = box.client
  const make = async (customImage: string | null) =>
    (await assistants.create({ body: { name: "Pictured", customImage } })).assistant.id
  const id = await make(address)
  await expect(assistants.image({ params: { id } })).rejects.toMatchObject({ code: "not_found" })
  expect(asked).toBe(0)
  for (const without of [await make(null), await make("data:image/png;base64,AA==")])
    await expect(assistants.image({ params: { id: without } })).rejects.toThrow(/no image on the web/)
  const other = await addUser(box, "eve@example.com")
  await expect(other.assistants.image({ params: { id } })).rejects.toMatchObject({ code: "not_found" })
  await expect(other.assistants.image({ params: { id } })).rejects.toThrow(/Assistant not found/)
})
