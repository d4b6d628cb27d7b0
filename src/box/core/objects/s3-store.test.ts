import { createHash } from "node:crypto"
import { createServer, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { waitFor } from "../../../shared/testing/wait-for.ts"
import { createOutbound } from "../outbound/outbound.ts"
import { openObjectCache } from "./object-cache.ts"
import { createObjectKey } from "./object-rows.ts"
import { openS3 } from "./s3-store.ts"

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-s3-"))
})
afterEach(() => rm(directory, { recursive: true }))

const credentials = { accessKeyId: "casella", secretAccessKey: "secret" }
const location = {
  address: "s3://files/box",
  bucket: "files",
  prefix: "box",
  region: "us-east-1",
  credentials,
}
const enough = 64 * 2 ** 20

/** Starts a store with practically endless responses; returns the store and the number of bytes it has sent. */
async function startEndless(status: number) {
  let sent = 0
  const piece = Buffer.alloc(2 ** 16, " ")
  const more = (answer: ServerResponse): void => {
    if (answer.destroyed || sent >= enough) return void answer.end()
    sent += piece.byteLength
    answer.write(piece, () => more(answer))
  }
  const server: Server = createServer((request, answer) => {
    request.resume()
    answer.writeHead(status)
    more(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const outbound = createOutbound({
    localOnly: () => ({ on: false, decidedBy: "start", programs: true }),
    record: () => undefined,
  })
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    store: openS3({ ...location, endpoint }, outbound),
    sent: () => sent,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await outbound[Symbol.asyncDispose]()
    },
  }
}

// Catches a store that fills the box's memory with metadata of an object.
test.each([
  ["a note", 200, "text"],
  ["a refusal", 500, "text"],
  ["a removal", 200, "remove"],
] as const)("rejects %s without an end", async (_, status, method) => {
  await using endless = await startEndless(status)
  await expect(endless.store[method]("casella.json")).rejects.toMatchObject({ code: "unavailable" })
  expect(endless.sent()).toBeLessThan(enough)
})

// Catches a store that fills the disk with data for a supposedly small file.
test("reads no more of an object than was stored", async () => {
  await using endless = await startEndless(200)
  using cache = await openObjectCache({ directory, store: endless.store, maxBytes: 1 })
  await expect(cache.hold(createObjectKey("A".repeat(43) + "="), 1_000)).rejects.toMatchObject({
    code: "unavailable",
  })
  expect(endless.sent()).toBeLessThan(enough)
})

// Catches copies that fill the disk so that users' uploads are refused.
test("leaves a tenth of the disk free of copies", async () => {
  const bytes = Buffer.alloc(100)
  const contents = ["one", "two", "three", "four"].map((text) => Buffer.from(text.padEnd(bytes.length)))
  const objects = new Map(
    contents.map((content) => [
      createObjectKey(createHash("sha256").update(content).digest("base64")),
      content,
    ]),
  )
  const [one = "", two = "", three = "", four = ""] = objects.keys()
  const copies = join(directory, "copies")
  let others = 700
  using cache = await openObjectCache({
    directory: copies,
    store: {
      address: "s3://files",
      get: async (key) => Readable.from([objects.get(key) ?? Buffer.of()]),
    },
    maxBytes: 1_000,
    disk: async () => ({ total: 1_000, free: 1_000 - others - 100 * (await readdir(copies)).length }),
  })
  const use = async (key: string) => (await cache.hold(key, 100))[Symbol.dispose]()
  const held = await cache.hold(one, 100)
  for (const key of [two, three]) await use(key)
  expect(await readdir(copies)).toEqual([one, three].toSorted())
  others = 900 // copies in use stay
  await use(three)
  await waitFor(async () => expect(await readdir(copies)).toEqual([one]))
  held[Symbol.dispose]()
  await waitFor(async () => expect(await readdir(copies)).toEqual([]))
  others = 0
  for (const key of [one, two, three, four]) await use(key)
  expect(await readdir(copies)).toHaveLength(4)
})

// Catches a client that sends requests to a location from a file in the user's home directory or from the cloud's metadata server.
test("sends requests only where the box's configuration says", async () => {
  const config = join(directory, "config")
  await writeFile(
    config,
    "[default]\nendpoint_url = http://127.0.0.1:9\nuse_fips_endpoint = true\nuse_dualstack_endpoint = true\ndefaults_mode = auto\n",
  )
  vi.stubEnv("AWS_CONFIG_FILE", config)
  vi.stubEnv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:9")
  const hosts: string[] = []
  const store = openS3(
    { ...location, endpoint: null },
    {
      fetch: async (address) => {
        hosts.push(new URL(address).host)
        const { Response } = await import("undici")
        return new Response("mine")
      },
    },
  )
  expect(await store.text("casella.json")).toBe("mine")
  expect(hosts).toEqual(["files.s3.us-east-1.amazonaws.com"])
  vi.unstubAllEnvs()
})
