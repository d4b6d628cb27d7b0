import { randomBytes } from "node:crypto"
import { rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { startHubServer } from "../testing/hub-server.ts"
import { openOutbound } from "../../../core/outbound/testing/open-outbound.ts"
import { transfer } from "./fetch-model.ts"
import { mountSmallDisk } from "../../../testing/disk.ts"

const disk = await mountSmallDisk("1m")
afterAll(() => disk[Symbol.asyncDispose]())

const nothingKnown = { etag: null, sizeBytes: null, sha256: null }

// Catches a full disk that is treated as a lost connection, so that the download is retried again and again.
test(
  "a disk that fills up during a transfer ends it with the system's error",
  { tags: "mount" },
  async () => {
    await using hub = await startHubServer(randomBytes(3_000_000))
    const partial = join(disk.path, "some.partial")
    const received: number[] = []
    await expect(
      transfer({
        outbound: openOutbound(),
        address: `${hub.url}/a/b/resolve/main/c.gguf`,
        partial,
        known: nothingKnown,
        onRemote: async () => undefined,
        onBytes: (bytes) => void received.push(bytes),
        signal: new AbortController().signal,
        silenceMs: 10_000,
      }),
    ).rejects.toMatchObject({ code: "ENOSPC" })
    expect((await stat(partial)).size).toBeGreaterThanOrEqual(received.at(-1) ?? 1)
  },
)

// Catches a redirect that leads to files of this computer, or that never ends.
test.each([
  ["file:///etc/passwd", /safe/],
  ["//user:secret@127.0.0.1/x", /safe/],
  ["/a/b/resolve/main/again.gguf", /loop/],
])("doesn't follow a redirect to %s", async (location, message) => {
  await using hub = await startHubServer(Buffer.from("x"))
  hub.redirectsTo = location
  const attempt = transfer({
    outbound: openOutbound(),
    address: `${hub.url}/a/b/resolve/main/c.gguf`,
    partial: join(tmpdir(), `casella-redirect-${process.pid}`),
    known: nothingKnown,
    onRemote: async () => undefined,
    onBytes: () => undefined,
    signal: new AbortController().signal,
    silenceMs: 10_000,
  })
  await expect(attempt).rejects.toThrow(message)
  await rm(join(tmpdir(), `casella-redirect-${process.pid}`), { force: true })
})
