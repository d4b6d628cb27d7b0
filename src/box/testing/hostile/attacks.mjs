import { createRequire } from "node:module"
import { dirname } from "node:path"
import { encodeMessage } from "../../core/children/parent.ts"

// Tools of the attacks, which are no part of the box.

const require = createRequire(import.meta.url)
const builtin = (name) => process.getBuiltinModule(name)
const settled = (emitter, ...events) =>
  new Promise((resolve) => {
    for (const each of events) emitter.once(each, (value) => resolve(String(value)))
  })
/** A new realm in a thread, in which nothing is disabled. */
const inThread = (Worker, code, options) =>
  settled(new Worker(code, { eval: true, ...options }), "message", "error", "exit")

/** One that children may read, because the program's own code is there. */
const aDirectory = dirname(require.resolve("yauzl"))

/* oxlint-disable no-underscore-dangle, no-constant-binary-expression, no-extend-native, no-empty -- what an attacker would write */

const files = {
  readFileSync: ({ canary }) => builtin("fs").readFileSync(canary, "utf8"),
  "readFile of fs/promises": ({ canary }) => builtin("fs/promises").readFile(canary, "utf8"),
  openAsBlob: async ({ canary }) => (await builtin("fs").openAsBlob(canary)).text(),
  createReadStream: async ({ canary }) =>
    Buffer.concat(await builtin("fs").createReadStream(canary).toArray()).toString(),
  "a copy": ({ canary }) =>
    builtin("fs").copyFileSync(canary, `${process.argv[3]}/copy`) ??
    builtin("fs").readFileSync(`${process.argv[3]}/copy`, "utf8"),
  "a second name": ({ canary }) =>
    builtin("fs").linkSync(canary, `${process.argv[3]}/second`) ??
    builtin("fs").readFileSync(`${process.argv[3]}/second`, "utf8"),
  "a link": ({ canary }) =>
    builtin("fs").symlinkSync(canary, `${process.argv[3]}/link`) ??
    builtin("fs").readFileSync(`${process.argv[3]}/link`, "utf8"),
  "its path by Buffer": ({ canary }) => builtin("fs").readFileSync(Buffer.from(canary), "utf8"),
  "its path with dots": ({ canary }) =>
    builtin("fs").readFileSync(`${process.argv[3]}/../../../../../../..${canary}`, "utf8"),
  "its path below open files": ({ canary }) =>
    builtin("fs").readFileSync(`/proc/self/fd/../../..${canary}`, "utf8"),
  "the root of open files": ({ canary }) => builtin("fs").readFileSync(`/proc/self/root${canary}`, "utf8"),
  "its path below an open directory": ({ canary }) => {
    const fs = builtin("fs")
    let directory = fs.openSync(aDirectory, "r")
    for (let up = 0; up < 20; up++) directory = fs.openSync(`/proc/self/fd/${directory}/../.`, "r")
    return fs.readFileSync(`/proc/self/fd/${directory}${canary}`, "utf8")
  },
  "its path in a directory that changes meanwhile": async ({ canary }) => {
    const deep = `${dirname(aDirectory)}/mathjs/lib/cjs/expression/embeddedDocs/function/algebra`
    process.chdir(deep)
    // until these are done, no thread is free that opens files
    for (let busy = 0; busy < 8; busy++)
      builtin("crypto").pbkdf2("x", "x", 1000, 64, "sha512", () => undefined)
    const reading = builtin("fs").promises.readFile(`../../../../../../..${canary}`, "utf8")
    process.chdir(aDirectory)
    return reading
  },
  "a patched Buffer": ({ canary }) => {
    const path = Buffer.from("/x")
    path.utf8Write = () => 0
    Object.defineProperty(path, "toString", { value: () => canary })
    return builtin("fs").readFileSync(path, "utf8")
  },
  "fs by binding": ({ canary }) => process.binding("fs").readFileUtf8(canary, 0),
  "a module": ({ canary }) => require(canary),
  "a file of variables": ({ canary }) => process.loadEnvFile(canary) ?? process.env.CANARY,
  "node:sqlite": async ({ database }) =>
    new (await import("node:sqlite")).DatabaseSync(database).prepare("select * from secrets").all()[0].text,
  "node:sqlite by getBuiltinModule": ({ database }) =>
    new (builtin("node:sqlite").DatabaseSync)(database).prepare("select * from secrets").all()[0].text,
  "node:sqlite attached": ({ database }) => {
    const memory = new (builtin("node:sqlite").DatabaseSync)(":memory:")
    memory.exec(`attach '${database}' as x`)
    return memory.prepare("select * from x.secrets").all()[0].text
  },
  "a thread with node:sqlite": ({ database }) =>
    inThread(
      require("worker_threads").Worker,
      `require("worker_threads").parentPort.postMessage(new (require("node:sqlite").DatabaseSync)(${JSON.stringify(database)}).prepare("select * from secrets").all()[0].text)`,
      { execArgv: ["--experimental-sqlite"] },
    ),
  WASI: ({ canary }) =>
    new (builtin("wasi").WASI)({ version: "preview1", preopens: { "/": "/" } }) && `started ${canary}`,
  "a store of OpenSSL": ({ canary }) =>
    builtin("crypto").createPrivateKey({ key: `file:${canary}`, format: "store" }).asymmetricKeyType,
  "native code": ({ canary }) => process.dlopen({ exports: {} }, canary) ?? "loaded",
  "a database package": ({ database }) => {
    const Database = require("better-sqlite3")
    return new Database(database).prepare("select * from secrets").all()[0].text
  },
  "the environment of the parent": () => builtin("fs").readFileSync(`/proc/${process.ppid}/environ`, "utf8"),
  "the memory of the parent": () => builtin("fs").openSync(`/proc/${process.ppid}/mem`, "r"),
}

/** Calls what V8 traces until it is compiled again, under a name that fills a line of the output. */
async function getTraced() {
  const named = {
    "\necho written #"(factor) {
      let sum = 0
      for (let index = 0; index < 1000; index++) sum += factor * index
      return sum
    },
  }
  const [traced] = Object.values(named)
  for (let times = 0; times < 5000; times++) traced(times)
  await new Promise((resolve) => setTimeout(resolve, 100))
}

/** Nothing may appear in the directory `outside`. */
const written = {
  writeFileSync: ({ outside }) => builtin("fs").writeFileSync(`${outside}/file`, "x"),
  "a flag of V8": async ({ outside }) => {
    const { setFlagsFromString } = builtin("v8")
    for (const flag of [
      "--redirect-code-traces",
      `--redirect-code-traces-to=${outside}/trace`,
      "--trace-opt",
    ])
      setFlagsFromString(flag)
    await getTraced()
  },
  "a flag of V8 by import": async ({ outside }) => {
    const { setFlagsFromString } = await import("node:v8")
    for (const flag of [
      "--redirect-code-traces",
      `--redirect-code-traces-to=${outside}/trace`,
      "--trace-opt",
    ])
      setFlagsFromString(flag)
    await getTraced()
  },
  "a snapshot of the heap": ({ outside }) => builtin("v8").writeHeapSnapshot(`${outside}/heap`) && "started",
  "snapshots before the heap is full": () => builtin("v8").setHeapSnapshotNearHeapLimit(1) ?? "started",
  "a report": ({ outside }) => process.report.writeReport(`${outside}/report.json`),
  "reports of fatal errors": ({ outside }) =>
    Object.assign(process.report, { directory: outside, reportOnFatalError: true }) && "started",
  "a trace of events": () => {
    builtin("trace_events")
      .createTracing({ categories: ["v8"] })
      .enable()
    return "started"
  },
  "a cache of compiled code": ({ outside }) => {
    builtin("module").enableCompileCache(`${outside}/cache`)
    builtin("module").flushCompileCache()
  },
}

/* oxlint-disable no-underscore-dangle, no-constant-binary-expression, no-extend-native, no-empty -- what an attacker would write */

const connectCode = (port) =>
  `require("net").connect(${port}, "127.0.0.1").on("connect", () => require("worker_threads").parentPort?.postMessage("connected"))`

const tcp = {
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

const udp = {
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

const sockets = {
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

/* oxlint-disable no-underscore-dangle, no-constant-binary-expression, no-extend-native, no-empty -- what an attacker would write */
// Programs that run in a child process whose code was taken over. Each is told where a listener waits on loopback, and
// which files it must not read: what it returns is what it got.

const programs = {
  execFileSync: () => String(builtin("child_process").execFileSync("/bin/echo", ["ran"])),
  spawnSync: () => String(builtin("child_process").spawnSync("/bin/echo", ["ran"]).stdout),
  fork: () => builtin("child_process").fork("/bin/echo") && "ran",
  cluster: () => builtin("cluster").fork() && "ran",
  execve: () => process.execve("/bin/echo", ["echo", "ran"], {}),
  "spawn_sync by binding": () =>
    process.binding("spawn_sync").spawn({ file: "/bin/echo", args: ["echo"] }).status === 0 && "ran",
  "process_wrap by binding": () =>
    new (process.binding("process_wrap").Process)().spawn({ file: "/bin/echo", args: ["echo"] }) === 0 &&
    "ran",
}

const signals = {
  "process.kill": () => process.kill(process.ppid, "SIGUSR2") && "sent",
  "process._kill": () => process._kill(process.ppid, 12) === 0 && "sent",
  "process._debugProcess": () => process._debugProcess(process.ppid) ?? "sent",
  "a new ChildProcess": () => {
    const child = new (builtin("child_process").ChildProcess)()
    return child._handle.kill(12) === 0 && "sent"
  },
  "a thread with process.kill": () =>
    inThread(
      require("worker_threads").Worker,
      `process.kill(process.ppid, "SIGUSR2"); require("worker_threads").parentPort.postMessage("sent")`,
    ),
}

export const attacks = { tcp, udp, sockets, files, written, programs, signals }
