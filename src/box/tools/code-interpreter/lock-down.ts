import childProcess from "node:child_process"
import dgram from "node:dgram"
import dns from "node:dns"
import fs from "node:fs"
import { registerHooks, syncBuiltinESMExports } from "node:module"
import net from "node:net"
import vm from "node:vm"
import workerThreads from "node:worker_threads"

/** What remains of the globals: the language itself, and what Python's runtime calls while code runs. */
const remaining = new Set(
  (
    "Object Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise RegExp " +
    "Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError SuppressedError globalThis " +
    "JSON Math Intl ArrayBuffer Atomics Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array " +
    "Float16Array Float32Array Float64Array Uint8ClampedArray BigUint64Array BigInt64Array DataView Map BigInt Set " +
    "Iterator WeakMap WeakSet WeakRef Proxy Reflect FinalizationRegistry SharedArrayBuffer decodeURI " +
    "decodeURIComponent encodeURI encodeURIComponent escape unescape isFinite isNaN WebAssembly TextDecoder " +
    "TextEncoder queueMicrotask setTimeout clearTimeout crypto performance"
  ).split(" "),
)

/**
 * Takes everything from this process that code running in it could use to reach the machine or the network. Python is
 * kept from JavaScript, and Node's permission model keeps the process from files, programs and native code; this is the
 * wall behind them, and the only one against the network, which that model doesn't know, and under Electron, which lacks it.
 */
export function lockDown(): void {
  registerHooks({ resolve: refuse, load: refuse })
  // what instances still lead to, such as this process's own streams
  for (const { prototype } of [net.Socket, net.Server, dgram.Socket, childProcess.ChildProcess])
    disable(prototype)
  for (const builtin of [net, dgram, dns, dns.promises, childProcess, fs, fs.promises, vm, workerThreads]) {
    disable(builtin)
  }
  syncBuiltinESMExports()
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (!remaining.has(name)) Reflect.deleteProperty(globalThis, name)
  }
  Object.defineProperties(globalThis, { console: { value: silentConsole }, Function: { value: refuse } })
  const functions = [() => undefined, async () => undefined, function* () {}, async function* () {}]
  for (const each of functions) {
    Object.defineProperty(Object.getPrototypeOf(each), "constructor", { value: refuse })
  }
}

function refuse(): never {
  throw new Error("Not allowed in here.")
}
// the runtime asks whether things are instances of Function
refuse.prototype = Function.prototype

const silence = () => undefined
const silentConsole = { log: silence, info: silence, debug: silence, warn: silence, error: silence }

function disable(target: object): void {
  for (const [name, { value, writable }] of Object.entries(Object.getOwnPropertyDescriptors(target))) {
    if (typeof value === "function" && writable && name !== "constructor") Reflect.set(target, name, refuse)
  }
}
