import { once } from "node:events"
import { connect, createServer, type AddressInfo, type Socket } from "node:net"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { WebSocket as NodeSocket } from "ws"
import type { Client } from "../../../shared/client/http-client.ts"
import { createArrivals } from "../../../shared/client/notification-arrivals.ts"
import { connectSocket, type SocketState } from "../../../shared/client/socket-client.ts"
import type { Notification } from "../../../shared/contract/notifications.ts"
import { addUser, startTestBox, type TestBox } from "../../testing/test-box.ts"

let box: TestBox
let user: Client
let key: string
let number = 0
beforeAll(async () => {
  box = await startTestBox()
})
afterAll(() => box[Symbol.asyncDispose]())
beforeEach(async () => {
  user = await addUser(box, `user-${String(number++)}@example.com`)
  key = (await user.keys.create({ body: { name: "App" } })).key
})

const send = async (title: string, more: object = {}) =>
  (await user.notifications.send({ body: { title, ...more } })).notification

/** A connection to the server that the test can cut, after a number of bytes or at once, and keep cut. */
async function cuttable(bytesUntilCut: () => number) {
  const { hostname, port } = new URL(box.url)
  const open = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    if (isCut) return void near.destroy()
    const far = connect(Number(port), hostname)
    let left = bytesUntilCut()
    const end = () => {
      near.destroy()
      far.destroy()
      open.delete(near)
    }
    open.add(near)
    for (const socket of [near, far]) socket.on("error", end).on("close", end)
    near.on("data", (chunk) => far.write(chunk))
    far.on("data", (chunk: Buffer) => {
      near.write(chunk.subarray(0, left)) // sometimes sends half a message
      left -= chunk.length
      if (left <= 0) end()
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true
      open.forEach((socket) => socket.destroy())
    },
    reconnect: () => void (isCut = false),
    close: () => {
      open.forEach((socket) => socket.destroy())
      server.close()
    },
  }
}

/** Follows the user's feed through a connection like an app. */
async function follow(bytesUntilCut: () => number = () => Infinity) {
  const proxy = await cuttable(bytesUntilCut)
  const arrived: Notification[] = []
  const errors: unknown[] = []
  let wake: () => void = () => {}
  let checkCount = 0
  let failing = 0
  const list = (query: { limit: number; offset: number }) => {
    if (failing-- > 0) return Promise.reject(new Error("The box is busy."))
    const page = user.notifications.list({ query })
    const looked = () => {
      checkCount++
      wake()
    }
    page.then(() => setImmediate(looked)).catch(() => undefined) // `onError` handles it
    return page
  }
  const arrivals = createArrivals({
    list,
    onArrival: (notification) => void arrived.push(notification),
    onError(error) {
      errors.push(error)
      wake()
    },
    retryPausesMs: [1, 1],
  })
  const states: SocketState[] = []
  const socket = connectSocket({
    baseUrl: box.url,
    open: () =>
      new NodeSocket(`ws://127.0.0.1:${proxy.port}/api/public/ws`, {
        headers: { "x-api-key": key, host: new URL(box.url).host },
      }) as unknown as WebSocket,
    onMessage(message) {
      arrivals.onMessage(message)
      wake()
    },
    onState(state) {
      states.push(state)
      arrivals.onState(state)
      wake()
    },
  })
  const until = async (condition: () => boolean) => {
    while (!condition()) await new Promise<void>((resolve) => (wake = () => resolve()))
  }
  return {
    arrived,
    errors,
    states,
    proxy,
    until,
    titles: () => arrived.map(({ title }) => title),
    /** Simulates a server that is too busy to respond. */
    failNextPolls: (count: number) => void (failing = count),
    /** Waits for the app's first request for the feed. */
    looked: () => until(() => checkCount > 0),
    [Symbol.dispose]() {
      socket.close()
      proxy.close()
    },
  }
}

describe("An app whose connection is cut", () => {
  // Catches a notification that is lost because it was sent while the app was disconnected or arrived incomplete, and one that is shown
  // twice.
  it.each([1, 2, 3])("at random moments shows each notification once (seed %i)", async (seed) => {
    let state = seed * 2_654_435_761
    const random = () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31
    using app = await follow(() => 500 + Math.floor(random() * 4_000))
    await app.looked()
    const sent: string[] = []
    for (let index = 0; index < 90; index += 3) {
      const batch = [0, 1, 2].map((n) => send(`n${String(index + n)}`))
      sent.push(...(await Promise.all(batch)).map(({ id }) => id))
    }
    await app.until(() => app.arrived.length >= sent.length)
    await send("last")
    await app.until(() => app.titles().includes("last"))
    expect(
      app.arrived
        .map(({ id }) => id)
        .slice(0, sent.length)
        .toSorted(),
    ).toEqual(sent.toSorted())
    expect(app.arrived).toHaveLength(sent.length + 1)
    expect(app.states.filter((state) => state === "open").length).toBeGreaterThan(1)
    expect(app.errors).toEqual([])
  })

  it("shows notifications sent during the interruption in order, but none from before its first request", async () => {
    await send("old")
    using app = await follow()
    await app.looked()
    app.proxy.cut()
    for (const title of ["1", "2", "3"]) await send(title)
    app.proxy.reconnect()
    await app.until(() => app.arrived.length === 3)
    expect(app.titles()).toEqual(["1", "2", "3"])
  })

  it("shows a refreshed notification again, but not if its refresh was absorbed, silent, muted or read elsewhere", async () => {
    using app = await follow()
    await app.looked()
    await send("job", { dedupeKey: "job" })
    await send("disk", { dedupeKey: "disk", resurface: false })
    await app.until(() => app.arrived.length === 2)
    app.proxy.cut()
    await send("job again", { dedupeKey: "job" })
    await send("disk again", { dedupeKey: "disk", resurface: false })
    await send("quiet", { silent: true })
    await send("elsewhere", { read: true })
    await user.settings.update({ body: { mutedCategories: ["chat"] } })
    await send("muted", { category: "chat" })
    await send("end")
    app.proxy.reconnect()
    await app.until(() => app.titles().includes("end"))
    expect(app.errors).toEqual([])
    expect(app.titles()).toEqual(["job", "disk", "job again", "end"])
  })

  // Catches missed notifications that wait for the next connection, perhaps for hours, because one request failed. Also catches endless
  // requests to a server that doesn't respond.
  it("requests the feed again after a failure, but not for ever", async () => {
    using app = await follow()
    await app.looked()
    app.proxy.cut()
    await send("missed")
    app.failNextPolls(2)
    app.proxy.reconnect()
    await app.until(() => app.arrived.length === 1)
    expect(app.titles()).toEqual(["missed"])
    expect(app.errors).toEqual([])
    app.proxy.cut()
    await send("missed too")
    app.failNextPolls(3)
    app.proxy.reconnect()
    await app.until(() => app.errors.length > 0)
    expect(app.titles()).toEqual(["missed"])
    app.proxy.cut()
    app.proxy.reconnect()
    await app.until(() => app.arrived.length === 2)
    expect(app.titles()).toEqual(["missed", "missed too"])
    expect(app.errors).toHaveLength(1)
  })

  it("catches up with more than one page", async () => {
    using app = await follow()
    await app.looked()
    app.proxy.cut()
    await Promise.all(Array.from({ length: 120 }, (_, index) => send(String(index))))
    app.proxy.reconnect()
    await app.until(() => app.arrived.length >= 120)
    expect(new Set(app.titles()).size).toBe(120)
  })
})
