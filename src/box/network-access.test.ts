import { testDatabaseUrl } from "./core/database/testing/test-database.ts"
import { databasePath } from "./start/open-data.ts"
import { getRows } from "./testing/test-box.ts"
import { once, type EventEmitter } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { request } from "node:http"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { WebSocket } from "ws"
import { createClient } from "../shared/client/http-client.ts"
import { socketPath } from "../shared/contract/socket.ts"
import { databaseAdoption } from "./compose/adopt-database.ts"
import { startBox } from "./start-box.ts"

/** Stand for this computer's network addresses. The system has them, and nothing listens on them by default. */
const [address, otherNetworkAddress] = ["127.0.0.2", "127.0.0.3"] as const

async function openBox(
  dataDir: string,
  {
    addresses = [address],
    ...changes
  }: { host?: string; allowedHosts?: string[]; addresses?: string[] } = {},
) {
  const config = {
    host: "127.0.0.1",
    port: 0,
    dataDir,
    model: null,
    databaseUrl: await testDatabaseUrl(databasePath(dataDir)),
    embeddingModel: null,
    files: null,
    vectors: null,
    secretsKey: null,
    peerUrl: null,
    filesCacheGb: 10,
    vectorsCacheGb: 10,
    authUrl: null,
    localOnly: false,
    allowedHosts: [],
    allowedOrigins: [],
    publicUrl: null,
    oidc: null,
    ...changes,
  }
  return startBox(config, {
    pageDir: join(dataDir, "no-page"),
    quiet: true,
    network: { addresses: () => addresses },
  })
}

async function withBox(
  use: (open: Awaited<ReturnType<typeof parts>>) => Promise<void>,
  changes: Parameters<typeof openBox>[1] = {},
): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "casella-network-"))
  try {
    await using box = await openBox(dataDir, changes)
    await use(await parts(box, dataDir))
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function parts(box: Awaited<ReturnType<typeof openBox>>, dataDir: string) {
  const port = Number(new URL(box.url).port)
  const key = box.firstRunKey ?? ""
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
  return { box, dataDir, port, key, client, networkUrl: `http://${address}:${port}` }
}

/** Returns the status of a request with the given host; null where nothing listens. */
async function getStatus(
  url: string,
  headers: Record<string, string> = {},
  localAddress?: string,
): Promise<number | null> {
  const asked = request(url, { headers, agent: false, localAddress })
  asked.end()
  try {
    const [response] = (await once(asked, "response")) as [{ statusCode: number; resume(): void }]
    response.resume()
    return response.statusCode
  } catch {
    return null
  }
}

const whenClosed = (connection: EventEmitter) =>
  new Promise((resolve) => {
    connection.on("error", () => undefined) // A reset connection also emits an error.
    connection.on("close", resolve)
  })

// Catches a box that listens on its networks by default, and a switch that needs a restart or stays open.
it("is reachable from other computers only while its owner allows it", () =>
  withBox(async ({ client, networkUrl, key }) => {
    const headers = { "x-api-key": key }
    expect(await getStatus(`${networkUrl}/api/public/me`, headers)).toBeNull()
    expect((await client.settings.network()).network).toEqual({
      on: false,
      decidedBy: "settings",
      addresses: [networkUrl],
      failed: [],
    })
    const { user } = await client.account.me()
    expect((await client.people.signInLinks({ params: { id: user.id } })).links.network).toEqual([])

    await client.settings.update({ body: { networkAccess: true } })
    expect((await client.settings.network()).network).toMatchObject({ on: true, addresses: [networkUrl] })
    expect(await getStatus(`${networkUrl}/api/public/me`, headers)).toBe(200)
    expect(await getStatus(`${networkUrl}/api/public/me`)).toBe(401)
    const { links } = await client.people.signInLinks({ params: { id: user.id } })
    expect(links.network[0]).toContain(`${networkUrl}/#/signin?token=`)

    await client.settings.update({ body: { networkAccess: false } })
    expect(await getStatus(`${networkUrl}/api/public/me`, headers)).toBeNull()
    expect((await client.account.me()).user.id).toBe(user.id)
  }))

// Catches DNS rebinding and foreign pages that could bypass the guard through a second listener.
it("answers on the network only to its own address, and to no foreign page", () =>
  withBox(async ({ client, networkUrl, port, key }) => {
    await client.settings.update({ body: { networkAccess: true } })
    const me = `${networkUrl}/api/public/me`
    const headers = { "x-api-key": key }
    for (const host of [
      `evil.example:${port}`,
      `127.0.0.3:${port}`,
      address,
      `${address}:1`,
      `${address}.evil.example:${port}`,
    ])
      expect(await getStatus(me, { ...headers, host }), host).toBe(403)
    expect(await getStatus(me, { ...headers, origin: "http://evil.example" })).toBe(403)
    await client.settings.update({ body: { networkAccess: false } })
    // After it is switched off, this also applies to this computer's own listener.
    expect(
      await getStatus(`http://127.0.0.1:${port}/api/public/me`, { ...headers, host: `${address}:${port}` }),
    ).toBe(403)
  }))

// Catches rebinding with a name that the box has elsewhere: another computer's `localhost`, or its address in another network.
it("accepts on a network only its address there and the names that its owner set", () =>
  withBox(
    async ({ client, networkUrl, port, key }) => {
      await client.settings.update({ body: { networkAccess: true, allowedHosts: ["box.lan"] } })
      const headers = { "x-api-key": key }
      const opened = async (host: string) => {
        const socket = new WebSocket(`${networkUrl.replace("http", "ws")}${socketPath}`, {
          headers: { ...headers, host },
        })
        const refused = once(socket, "unexpected-response") as Promise<[unknown, { statusCode: number }]>
        const answer = await Promise.race([
          once(socket, "open").then(() => 101),
          refused.then(([, { statusCode }]) => statusCode),
        ])
        socket.terminate()
        return answer
      }
      for (const name of ["localhost", "127.0.0.1", "[::1]", otherNetworkAddress]) {
        const host = `${name}:${port}`
        expect(await getStatus(`${networkUrl}/api/public/me`, { ...headers, host }), host).toBe(403)
        expect(await opened(host), host).toBe(403)
      }
      for (const name of [address, "box.lan"]) {
        const host = `${name}:${port}`
        expect(await getStatus(`${networkUrl}/api/public/me`, { ...headers, host }), host).toBe(200)
        expect(await opened(host), host).toBe(101)
      }
      for (const name of ["localhost", "127.0.0.1", address, "box.lan"]) {
        const host = `${name}:${port}`
        const here = `http://127.0.0.1:${port}/api/public/me`
        expect(await getStatus(here, { ...headers, host }), host).toBe(200)
      }
    },
    { addresses: [address, otherNetworkAddress] },
  ))

// Catches access from another computer with only the page's cookie. Without a link, the page has no session.
it("gives another computer a session only with a link, which works once", () =>
  withBox(async ({ box, client, networkUrl }) => {
    await client.settings.update({ body: { networkAccess: true } })
    const exchange = (token: string) =>
      fetch(`${networkUrl}/api/public/session`, {
        method: "POST",
        headers: { "content-type": "application/json", origin: networkUrl },
        body: JSON.stringify({ token, replace: false }),
      })
    expect((await exchange("made-up")).status).toBe(401)
    const token = await box.signInToken()
    const answer = await exchange(token)
    expect(answer.status).toBe(200)
    const cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? ""
    expect(answer.headers.getSetCookie()[0]).toMatch(/HttpOnly.*SameSite=Strict/i)
    expect(await getStatus(`${networkUrl}/api/public/me`, { cookie, "sec-fetch-site": "same-origin" })).toBe(
      401,
    )
    expect((await exchange(token)).status).toBe(401)
  }))

// Catches connections that remain after switching off: a WebSocket, an idle connection, and one whose request is still being sent.
it("closes open connections at once when it is switched off", () =>
  withBox(async ({ client, networkUrl, port, key }) => {
    await client.settings.update({ body: { networkAccess: true } })
    const socket = new WebSocket(`${networkUrl.replace("http", "ws")}${socketPath}`, {
      headers: { "x-api-key": key },
    })
    await once(socket, "message")
    const idle = connect(port, address)
    const sending = connect(port, address)
    await Promise.all([once(idle, "connect"), once(sending, "connect")])
    sending.write("POST /api/public/folders HTTP/1.1\r\n")
    const closed = Promise.all([socket, idle, sending].map(whenClosed))
    await client.settings.update({ body: { networkAccess: false } })
    await closed
  }))

// Catches a choice that is forgotten, or a restart that reopens network access after its owner closed it.
it("keeps the choice after a restart", () =>
  withBox(async ({ box, dataDir, client, key }) => {
    await client.settings.update({ body: { networkAccess: true } })
    await box[Symbol.asyncDispose]()
    await using again = await openBox(dataDir)
    const { networkUrl } = await parts(again, dataDir)
    expect(await getStatus(`${networkUrl}/api/public/me`, { "x-api-key": key })).toBe(200)
  }))

// Catches a switch that changes, or pretends to change, what was set at startup.
it("doesn't change what was set at startup", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "casella-network-"))
  {
    await using box = await openBox(dataDir, { host: "0.0.0.0", allowedHosts: ["box.example"] })
    const { client } = await parts(box, dataDir)
    await client.settings.update({ body: { networkAccess: false } })
    expect((await client.settings.network()).network).toMatchObject({ on: true, decidedBy: "start" })
    expect((await client.account.me()).user.id).not.toBe("")
  }
  await rm(dataDir, { recursive: true, force: true })
})

// Catches a backup that opens the computer on which it is restored to its networks.
it("is off in a restored backup", () =>
  withBox(async ({ box, dataDir, client, key }) => {
    await client.settings.update({ body: { networkAccess: true } })
    await box[Symbol.asyncDispose]()
    {
      await using database = await getRows(dataDir)
      expect(await databaseAdoption.adoptBackup(database, dataDir, dataDir)).not.toBeNull()
    }
    await using again = await openBox(dataDir)
    const { networkUrl } = await parts(again, dataDir)
    expect(await getStatus(`${networkUrl}/api/public/me`, { "x-api-key": key })).toBeNull()
  }))

// Catches another computer whose silent connections block all others, or block its own access for more than a minute.
it("leaves room for other computers, however many silent connections one of them opens", () =>
  withBox(async ({ client, networkUrl, port }) => {
    await client.settings.update({ body: { networkAccess: true } })
    const from = (localAddress: string) => connect({ host: address, port, localAddress })
    const silent = Array.from({ length: 500 }, () => from("127.0.0.5"))
    const closed = silent.map(whenClosed)
    const health = (localAddress: string) => getStatus(`${networkUrl}/api/health`, {}, localAddress)
    await Promise.all(silent.map((socket) => once(socket, "connect")))
    expect(await health("127.0.0.6")).toBe(200)
    expect(await health("127.0.0.5")).toBeNull()
    await Promise.all(closed)
    expect(await health("127.0.0.5")).toBe(200)
  }))
