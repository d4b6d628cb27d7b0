import { rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Client } from "../../../shared/client/http-client.ts"
import { encodePng } from "../../parsers/pages/encode-png.ts"
import { makePdf } from "../../parsers/testing/make-pdf.ts"
import { startFolderServer, type FolderServer } from "../../testing/folder-server.ts"

let server: FolderServer
let client: Client
let folderId: string
beforeAll(async () => {
  server = await startFolderServer()
  client = server.getClient("alice")
  folderId = (await client.folders.create({ body: { name: "Scans" } })).vector.id
})
afterAll(() => server[Symbol.asyncDispose]())

async function upload(fileName: string, bytes: Uint8Array | string): Promise<string> {
  const file = new Blob([Buffer.from(bytes)])
  const receipt = await client.files.upload({ params: { id: folderId }, file, fileName })
  return receipt.files[0]?.id ?? ""
}

const get = (path: string, user = "alice", headers = {}) =>
  fetch(`${server.url}/api/public/vectors/${folderId}/files/${path}`, {
    headers: { "x-api-key": user, ...headers },
  })

async function getSize(response: Response): Promise<{ width: number; height: number }> {
  const png = Buffer.from(await response.arrayBuffer())
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) }
}

const pdf = makePdf([
  { lines: [{ text: "The ferry leaves at nine." }] },
  { lines: [{ text: "It comes back at noon." }], rotate: 90 },
])

// Catches pages that can't be rendered, pages whose size or proportions differ from the list, and missing text areas.
test("lists and renders the pages of a PDF, with the areas of their text", async () => {
  const fileId = await upload("ferry.pdf", pdf)
  await server.fileIs("ferry.pdf", "completed")
  const { pages } = await client.files.pages({ params: { id: folderId, fileId } })
  expect(pages).toEqual([
    { width: 595, height: 842 },
    { width: 842, height: 595 },
  ])
  const first = await get(`${fileId}/pages/1?width=595`)
  expect(first.headers.get("content-type")).toBe("image/png")
  expect(first.headers.get("content-security-policy")).toContain("sandbox")
  expect(await getSize(first)).toEqual({ width: 595, height: 842 })
  const etag = first.headers.get("etag") ?? ""
  expect((await get(`${fileId}/pages/1?width=595`, "alice", { "if-none-match": etag })).status).toBe(304)

  const text = await get(`${fileId}/text?format=blocks`)
  const { blocks } = (await text.json()) as { blocks: { area?: { left: number } }[] }
  expect(blocks[0]?.area?.left).toBeCloseTo(0.1, 1)
})

test("shows an image as it is", async () => {
  const picture = encodePng({ width: 3, height: 2, pixels: new Uint8Array(24).fill(200) }, "rgba")
  const fileId = await upload("dot.png", picture)
  expect((await client.files.pages({ params: { id: folderId, fileId } })).pages).toEqual([
    { width: 3, height: 2 },
  ])
  const response = await get(`${fileId}/pages/1`)
  expect(Buffer.from(await response.arrayBuffer())).toEqual(picture)
})

// Catches other people's documents shown as images, and addresses that cause an internal error.
test("refuses strangers, missing pages, other formats and damaged files", async () => {
  const fileId = await upload("again.pdf", pdf)
  expect((await get(`${fileId}/pages/1`, "carol")).status).toBe(403)
  for (const page of ["0", "3", "-1", "1.5", "x", "1e3", "99999999"]) {
    expect([404, 422], page).toContain((await get(`${fileId}/pages/${page}`)).status)
  }
  expect((await get(`${fileId}/pages/1?width=9`)).status).toBe(400)
  const note = await upload("note.txt", "Plain words.")
  expect((await get(`${note}/pages/1`)).status).toBe(415)
  const damaged = await upload("damaged.pdf", pdf.subarray(0, 60))
  const refused = await get(`${damaged}/pages`)
  expect(refused.status).toBe(422)
  expect(await refused.json()).toMatchObject({ error: expect.stringMatching(/damaged/) as string })
  // A markup file with an image's name isn't an image.
  const markup = await client.files
    .upload({ params: { id: folderId }, file: new Blob(["<svg onload=alert(1)>"]), fileName: "a.png" })
    .catch((error: unknown) => error)
  expect(markup).toMatchObject({ code: "unsupported_type" })
})

// Catches a file replaced by a link, which would show any image or PDF on this computer.
test("shows no pages of a file that is gone or has become a link", async () => {
  const fileId = await upload("swapped.pdf", pdf)
  await server.fileIs("swapped.pdf", "completed")
  const stored = join((await client.folders.read({ params: { id: folderId } })).vector.folder, "swapped.pdf")
  await rm(stored)
  expect((await get(`${fileId}/pages`)).status).toBe(404)
  const secret = join(server.dataDir, "secret.pdf")
  await writeFile(secret, pdf)
  await symlink(secret, stored)
  expect((await get(`${fileId}/pages`)).status).toBe(404)
  expect((await get(`${fileId}/pages/1`)).status).toBe(404)
})
