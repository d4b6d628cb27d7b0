import { createSocket } from "node:dgram"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer, type Server } from "node:net"

/** Address that every name resolves to: this computer, in the test's network. */
const everywhere = [203, 0, 113, 7]
/** Hosts that a full Chromium contacts without any page. No test may use names under these. */
const browserMakers = /(^|\.)(googleapis|google|gvt1|gstatic)\.com$/
const tcpPorts = [80, 443, 853, 8443]
const udpPorts = [443, 3478, 5353]

export interface Sinks extends AsyncDisposable {
  /** Looked-up names, names in TLS and HTTP requests, and traffic to the ports. */
  heard: Set<string>
  /** Number of packets sent towards other computers. */
  left(): number
}

/** Listens to everything that a browser or program may send to find or reach another computer. */
export async function startSinks(): Promise<Sinks> {
  const heard = new Set<string>()
  const names = createSocket("udp4").on("message", (question, from) => {
    const { name, type, end } = readQuestion(question)
    const isMakers = browserMakers.test(name)
    if (!isMakers) heard.add(name)
    names.send(answerTo(question, end, { found: !isMakers, address: type === 1 }), from.port, from.address)
  })
  names.bind(53, "127.0.0.1")
  await once(names, "listening")
  const servers = await Promise.all(tcpPorts.map((port) => listen(port, (text) => heard.add(text))))
  const sockets = await Promise.all(
    udpPorts.map(async (port) => {
      const socket = createSocket("udp4").on("message", () => heard.add(`udp ${port}`))
      socket.bind(port)
      await once(socket, "listening")
      return socket
    }),
  )
  const before = sentPackets()
  return {
    heard,
    left: () => sentPackets() - before,
    async [Symbol.asyncDispose]() {
      for (const socket of [names, ...sockets]) socket.close()
      for (const server of servers) server.close()
    },
  }
}

async function listen(port: number, hear: (text: string) => void): Promise<Server> {
  const server = createServer((socket) => {
    hear(`tcp ${port}`)
    socket.on("error", () => undefined)
    socket.once("data", (data) => {
      for (const [name] of data.toString("latin1").matchAll(/[a-z\d-]+(\.[a-z\d-]+)*\.example/g))
        hear(`${name} in it`)
      socket.destroy()
    })
  }).listen(port, "0.0.0.0")
  await once(server, "listening")
  return server
}

function readQuestion(question: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = question.readUInt8(at); length > 0; length = question.readUInt8(at)) {
    labels.push(question.toString("latin1", at + 1, at + 1 + length).toLowerCase())
    at += length + 1
  }
  return { name: labels.join("."), type: question.readUInt16BE(at + 1), end: at + 5 }
}

function answerTo(
  question: Buffer,
  end: number,
  { found, address }: { found: boolean; address: boolean },
): Buffer {
  const head = Buffer.from([0, 0, 0x81, found ? 0x80 : 0x83, 0, 1, 0, found && address ? 1 : 0, 0, 0, 0, 0])
  question.copy(head, 0, 0, 2)
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...everywhere])
  return Buffer.concat([head, question.subarray(12, end), found && address ? record : Buffer.alloc(0)])
}

function sentPackets(): number {
  const line = /out0:(.*)/.exec(readFileSync("/proc/net/dev", "utf8"))?.[1]
  if (line === undefined) throw new Error("There is no out0: this runs by isolated-network.spec.ts.")
  return Number(line.trim().split(/\s+/)[9])
}
