/* oxlint-disable no-underscore-dangle, no-constant-binary-expression, no-extend-native, no-empty -- what an attacker would write */
import { dirname } from "node:path"
import { aDirectory, builtin, inThread, require } from "./attack-tools.mjs"

export const files = {
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
export const written = {
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
