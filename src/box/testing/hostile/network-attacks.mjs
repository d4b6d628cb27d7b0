/* oxlint-disable no-underscore-dangle, no-constant-binary-expression, no-extend-native, no-empty -- what an attacker would write */
import { encodeMessage } from "../../core/children/parent.ts"
import { builtin, inThread, require, settled } from "./attack-tools.mjs"

const connectCode = (port) =>
  `require("net").connect(${port}, "127.0.0.1").on("connect", () => require("worker_threads").parentPort?.postMessage("connected"))`

export const tcp = {
  "net.connect": async ({ port }) =>
    settled((await import("node:net")).connect(port, "127.0.0.1"), "connect", "error"),
  "a socket of tty's prototype": ({ port }) =>
    new (Object.getPrototypeOf(builtin("tty").WriteStream.prototype).constructor)().connect(
      port,
      "127.0.0.1",
    ),
  "net by getBuiltinModule": ({ port }) => builtin("net").createConnection({ port }),
  "net by require": ({ port }) => require("net").connect(port),
  tls: ({ port }) => require("tls").connect(port),
  http: ({ port }) => require("http").get(`http://127.0.0.1:${port}/`),
  "http's client": ({ port }) => new (builtin("http").ClientRequest)(`http://127.0.0.1:${port}/`),
  "an agent of http": ({ port }) => builtin("http").globalAgent.createConnection({ port, host: "127.0.0.1" }),
  http2: ({ port }) => builtin("http2").connect(`http://127.0.0.1:${port}/`),
  fetch: ({ port }) => fetch(`http://127.0.0.1:${port}/`),
  WebSocket: ({ port }) => new WebSocket(`ws://127.0.0.1:${port}/`),
  "a getter on Object.prototype that sees options": async ({ port }) => {
    let got
    Object.defineProperty(Object.prototype, "lookup", {
      configurable: true,
      get() {
        got = this
        return undefined
      },
    })
    try {
      setTimeout(() => undefined, 2 ** 32)
      await settled(builtin("net").connect({ port, host: "127.0.0.1" }), "connect", "error")
    } finally {
      delete Object.prototype.lookup
    }
    return got?.constructor?.name
  },
  "process caught as this of a warning": ({ port }) => {
    let caught
    Object.defineProperty(Object.prototype, "noDeprecation", {
      configurable: true,
      get() {
        caught = this
        return undefined
      },
    })
    try {
      setTimeout(() => undefined, 2 ** 32).unref()
    } finally {
      delete Object.prototype.noDeprecation
    }
    return (caught ?? process).getBuiltinModule("net").connect(port, "127.0.0.1") && "connected"
  },
  "tcp_wrap by binding": ({ port }) => {
    const { TCP, TCPConnectWrap, constants } = process.binding("tcp_wrap")
    return new TCP(constants.SOCKET).connect(new TCPConnectWrap(), "127.0.0.1", port)
  },
  "tcp_wrap by _linkedBinding": () => process._linkedBinding("tcp_wrap").TCP.name,
  "a thread": ({ port }) => inThread(require("worker_threads").Worker, connectCode(port)),
  "a thread with its own flags": ({ port }) =>
    inThread(builtin("worker_threads").Worker, connectCode(port), {
      execArgv: ["--experimental-sqlite"],
      env: {},
    }),
  "a module of hooks by data:": async ({ port }) => {
    builtin("module").register(
      `data:text/javascript,import net from "node:net"; net.connect(${port}, "127.0.0.1"); export const resolve = (n, c, next) => next(n, c)`,
    )
    return "registered"
  },
  "a module by data:": ({ port }) =>
    import(
      `data:text/javascript,import net from "node:net"; export default net.connect(${port}, "127.0.0.1")`
    ),
  "a fresh realm by vm": ({ port }) =>
    builtin("vm").runInNewContext("p.getBuiltinModule('net').connect(port, '127.0.0.1')", {
      p: process,
      port,
    }) && "connected",
  "vm's own main": ({ port }) =>
    builtin("vm").runInThisContext(`process.getBuiltinModule("net").connect(${port})`) && "connected",
  "an expanded require": ({ port }) => builtin("module")._load("net").connect(port) && "connected",
  "a fresh copy of a module": ({ port }) => {
    const Module = builtin("module")
    delete Module._cache.net
    return new Module("x").require("net").connect(port) && "connected"
  },
  "diagnostics' handles": ({ port }) => {
    const { createHook } = builtin("async_hooks")
    let wrap
    createHook({
      init: (_i, type, _t, resource) => {
        if (/TCP/.test(type)) wrap = resource
      },
    }).enable()
    try {
      builtin("net").createServer().listen(0)
    } catch {}
    return wrap && new wrap.constructor(0).connect({}, "127.0.0.1", port)
  },
  "an open server": () => builtin("net").createServer().listen(0, "127.0.0.1") && "listening",
  "an open server by its inner step": () => {
    const { Server } = builtin("net")
    const server = new Server()
    server._listen2("127.0.0.1", 0, 4)
    return "listening"
  },
  "the inspector": async () => {
    const inspector = await import("node:inspector")
    inspector.open(0, "127.0.0.1")
    return inspector.url()
  },
  "a session of the inspector": () => {
    const session = new (builtin("inspector").Session)()
    session.connect()
    return "connected"
  },
  "a session of the inspector with the main thread": () => {
    const session = new (builtin("inspector").Session)()
    session.connectToMainThread()
    return "connected"
  },
  "the inspector by a signal to itself": () => process._debugProcess(process.pid) ?? "sent",
}

export const udp = {
  dgram: ({ port }) => settled(builtin("dgram").createSocket("udp4").send("x", port, "127.0.0.1"), "close"),
  "a handle of dgram": ({ port }) => {
    const handle = builtin("dgram")._createSocketHandle("127.0.0.1", 0, "udp4")
    return handle.send({}, [Buffer.from("x")], 1, port, "127.0.0.1", false)
  },
  "the handle in a socket": ({ port }) => {
    const socket = builtin("dgram").createSocket("udp4")
    const { handle } = Object.getOwnPropertySymbols(socket)
      .map((key) => socket[key])
      .find((each) => each?.handle)
    handle.bind("127.0.0.1", 0, 0)
    return handle.send({}, [Buffer.from("x")], 1, port, "127.0.0.1", false)
  },
  "dns.Resolver": ({ port }) => {
    const resolver = new (builtin("dns").Resolver)()
    resolver.setServers([`127.0.0.1:${port}`])
    return new Promise((resolve) => resolver.resolve4("x.example", resolve))
  },
  "dns.promises.Resolver": ({ port }) => {
    const resolver = new (builtin("dns").promises.Resolver)()
    resolver.setServers([`127.0.0.1:${port}`])
    return resolver.resolve4("x.example")
  },
  "dns.setServers": ({ port }) => {
    builtin("dns").setServers([`127.0.0.1:${port}`])
    return builtin("dns").promises.resolveTxt("x.example")
  },
  "cares_wrap by binding": ({ port }) => {
    const { ChannelWrap, QueryReqWrap } = process.binding("cares_wrap")
    const channel = new ChannelWrap(1000, 1, 0)
    channel.setServers([[4, "127.0.0.1", port]])
    return channel.queryA(new QueryReqWrap(), "x.example")
  },
  "udp_wrap by binding": ({ port }) => {
    const { UDP, SendWrap } = process.binding("udp_wrap")
    return new UDP().send(new SendWrap(), [Buffer.from("x")], 1, port, "127.0.0.1", false)
  },
  "a thread with dgram": ({ port }) =>
    inThread(
      require("worker_threads").Worker,
      `require("dgram").createSocket("udp4").send("x", ${port}, "127.0.0.1", () => require("worker_threads").parentPort.postMessage("sent"))`,
    ),
}

/** The handles with which the process talks to its parent or prints, and their kinds. */
function pipeOfTheChannel() {
  const symbol = Object.getOwnPropertySymbols(process).find((each) => each.description === "kChannelHandle")
  return process[symbol] ?? process.stderr._handle
}
/** One of the objects that native code takes for a request. */
function aRequest() {
  let found
  const streams = Object.getPrototypeOf(Object.getPrototypeOf(pipeOfTheChannel()))
  const own = Object.getOwnPropertyDescriptors(streams)
  for (const name of ["writeUtf8String", "writeLatin1String", "writeBuffer", "writev"])
    streams[name] = function (request, ...rest) {
      found ??= request
      return own[name].value.call(this, request, ...rest)
    }
  process.send(encodeMessage({ attacking: true }))
  Object.defineProperties(streams, own)
  return new found.constructor()
}

export const sockets = {
  "a pipe like the channel": async ({ socket }) => {
    const pipe = new (pipeOfTheChannel().constructor)(0)
    const request = aRequest()
    const { promise, resolve } = Promise.withResolvers()
    request.oncomplete = resolve
    const code = pipe.connect(request, socket)
    return code === 0 && (await promise) === 0 && "connected"
  },
  "a pipe that is told apart by nothing but its prototype": ({ socket }) => {
    const prototype = Object.getPrototypeOf(pipeOfTheChannel())
    const { connect } = prototype
    return connect.call(new prototype.constructor(0), aRequest(), socket) === 0 && "connected"
  },
  "a pipe that listens": ({ outside }) => {
    const pipe = new (pipeOfTheChannel().constructor)(0)
    return pipe.bind(`${outside}/socket`) === 0 && pipe.listen(5) === 0 && "listening"
  },
  "the channel itself": ({ outside }) => pipeOfTheChannel().bind(`${outside}/socket`) === 0 && "listening",
  "a socket's path": ({ socket }) => settled(builtin("net").connect(socket), "connect", "error"),
  "a pipe by binding": () => new (process.binding("pipe_wrap").Pipe)(0) && "started",
}
