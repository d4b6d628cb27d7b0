import { once } from "node:events"
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { createServer, request as openRequest, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { z } from "zod"
import { AppError } from "../../shared/contract/errors.ts"
import { receiveFile } from "./receive-file.ts"
import { Sentence } from "../../shared/sentences/sentence.ts"

const limit = 1_000_000
const headBytes = 1_000
const declared = {
  file: ["file", "files"],
  maxFileBytes: limit,
  fields: z.object({ relativePath: z.string().optional(), client_id: z.string().optional() }),
} as const

let directory: string
let server: Server
/** The outcomes of the requests, in order. */
let outcomes: PromiseWithResolvers<unknown>[]
let onHead: ((head: Buffer) => Promise<void>) | undefined

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-multipart-"))
  outcomes = []
  onHead = undefined
  let count = 0
  server = createServer((request, response) => {
    const outcome = Promise.withResolvers<unknown>()
    outcomes.push(outcome)
    const path = join(directory, `upload-${count++}`)
    receiveFile(request, declared, { path, headBytes, onHead: async (head) => onHead?.(head) }).then(
      (received) => {
        outcome.resolve(received)
        response.end(
          JSON.stringify({
            ...received,
            fields: received.fields,
            head: received.head.length,
          }),
        )
      },
      (error: unknown) => {
        outcome.resolve(error)
        response.statusCode = error instanceof AppError ? error.status : 500
        response.end(JSON.stringify({ code: error instanceof AppError ? error.code : String(error) }))
      },
    )
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await rm(directory, { recursive: true, force: true })
})

const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

async function send(body: FormData | Buffer | string, type?: string) {
  const response = await fetch(url(), {
    method: "POST",
    body,
    ...(type ? { headers: { "content-type": type } } : {}),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const form = (...parts: [name: string, value: string | Blob, fileName?: string][]) => {
  const data = new FormData()
  for (const [name, value, fileName] of parts) {
    if (typeof value === "string") data.append(name, value)
    else data.append(name, value, fileName)
  }
  return data
}

describe("one file", () => {
  // Catches lost or changed bytes, names in the wrong character set, and fields that are read only before the file.
  test("is stored with its name and the fields around it", async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7) % 256))
    const answer = await send(
      form(
        ["client_id", "c1"],
        ["file", new Blob([bytes]), "Übersicht „neu“ 日本.pdf"],
        ["relativePath", "a/ü.pdf"],
      ),
    )
    expect(answer).toEqual({
      status: 200,
      body: {
        fileName: "Übersicht „neu“ 日本.pdf",
        size: bytes.length,
        head: headBytes,
        fields: { client_id: "c1", relativePath: "a/ü.pdf" },
      },
    })
    expect((await readFile(join(directory, "upload-0"))).equals(bytes)).toBe(true)
  })

  // Catches empty files being treated as missing, and the second field name being ignored.
  test("may be empty and may be sent as `files`", async () => {
    expect(await send(form(["files", new Blob([]), "empty.txt"]))).toMatchObject({
      status: 200,
      body: { size: 0 },
    })
  })
})

describe("a rejected request leaves no file:", () => {
  const one = () => new Blob(["text"])
  const cases: [string, () => [FormData | string, string?], string][] = [
    ["two files", () => [form(["file", one(), "a.txt"], ["file", one(), "b.txt"])], "validation"],
    [
      "two files in different fields",
      () => [form(["file", one(), "a.txt"], ["files", one(), "b.txt"])],
      "validation",
    ],
    ["no file", () => [form(["relativePath", "a.txt"])], "validation"],
    ["a file that wasn't chosen", () => [form(["file", new Blob([]), ""])], "validation"],
    ["a file in another field", () => [form(["document", one(), "a.txt"])], "validation"],
    [
      "too many fields",
      () => [form(...Array.from({ length: 40 }, (_, n): [string, string] => [`f${n}`, "x"]))],
      "validation",
    ],
    ["another type of body", () => ["{}", "application/json"], "validation"],
    ["no boundary", () => ["x", "multipart/form-data"], "validation"],
    ["an empty body", () => ["", "multipart/form-data; boundary=x"], "validation"],
    [
      "a body that ends in the middle of the file",
      () => [
        '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nhalf',
        "multipart/form-data; boundary=x",
      ],
      "validation",
    ],
    [
      "a file over the limit",
      () => [form(["file", new Blob(["x".repeat(limit + 1)]), "a.txt"])],
      "file_too_large",
    ],
  ]
  test.for(cases)("%s", async ([, make, code]) => {
    const [body, type] = make()
    const answer = await send(body, type)
    expect(answer.body["code"]).toBe(code)
    expect(await readdir(directory)).toEqual([])
  })

  // Catches an off-by-one error at the limit.
  test("except a file of exactly the maximum size, which is accepted", async () => {
    expect(await send(form(["file", new Blob(["x".repeat(limit)]), "a.txt"]))).toMatchObject({ status: 200 })
  })

  // Catches bytes written after the file's head has shown its type.
  test("a file whose head is refused", async () => {
    onHead = () => Promise.reject(new AppError("unsupported_type", Sentence.asIs("No.")))
    const answer = await send(form(["file", new Blob(["x".repeat(900_000)]), "a.txt"]))
    expect(answer).toMatchObject({ status: 422, body: { code: "unsupported_type" } })
    expect(await readdir(directory)).toEqual([])
  })
})

// Catches files left by clients that disconnect, and unhandled errors.
test("a client that disconnects leaves no file", async () => {
  const arrived = Promise.withResolvers<void>()
  onHead = () => Promise.resolve(arrived.resolve())
  const request = openRequest(url(), {
    method: "POST",
    headers: { "content-type": "multipart/form-data; boundary=x", "content-length": "900000" },
  })
  request.on("error", () => undefined)
  request.write('--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\n')
  request.write("y".repeat(100_000))
  await arrived.promise
  request.destroy()
  expect(await outcomes[0]?.promise).toMatchObject({ code: "validation" })
  expect(await readdir(directory)).toEqual([])
})

// Catches crashes and hangs of the form parser. Every request gets an answer, and no rejected file stays on disk.
test("every damaged form gets an answer", async () => {
  const whole =
    '--x\r\ncontent-disposition: form-data; name="relativePath"\r\n\r\na/b.txt\r\n' +
    '--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\ncontent-type: text/plain\r\n\r\nhello\r\n--x--\r\n'
  let state = 7
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state % below
  }
  const pieces = [
    "--x",
    "\r\n",
    "\n",
    '"',
    ";",
    "\0",
    "filename*=UTF-8''%",
    "content-",
    "--x--",
    "\u00ff",
    "name=",
  ]
  let stored = 0
  for (let round = 0; round < 300; round++) {
    let body = whole
    for (let edits = random(4) + 1; edits > 0; edits--) {
      const at = random(body.length)
      body = body.slice(0, at) + (pieces[random(pieces.length)] ?? "") + body.slice(at + random(12))
    }
    const answer = await send(Buffer.from(body, "latin1"), "multipart/form-data; boundary=x")
    expect([200, 400]).toContain(answer.status)
    if (answer.status === 200) stored++
  }
  expect(await readdir(directory)).toHaveLength(stored)
})

// Catches an endless wait for a caller that disconnected before the upload was handled.
test("an upload ends if its sender has already disconnected", async () => {
  const ended = Promise.withResolvers<unknown>()
  const hasty = createServer((request) => {
    request.once("close", () => {
      receiveFile(request, declared, { path: join(directory, "late"), headBytes: 0 }).catch(ended.resolve)
    })
    request.destroy()
  }).listen(0, "127.0.0.1")
  await once(hasty, "listening")
  const headers = { "content-type": "multipart/form-data; boundary=x", "content-length": "100" }
  const sending = openRequest({ port: (hasty.address() as AddressInfo).port, method: "POST", headers })
  sending.on("error", () => undefined)
  sending.write("--x\r\n")
  expect(await ended.promise).toMatchObject({ code: "validation" })
  expect(await readdir(directory)).toEqual([])
  hasty.close()
})
