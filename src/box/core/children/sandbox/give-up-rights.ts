import childProcess from "node:child_process"
import crypto from "node:crypto"
import inspector from "node:inspector"
import module, { syncBuiltinESMExports } from "node:module"
import os from "node:os"
import process from "node:process"
import v8 from "node:v8"
import workerThreads from "node:worker_threads"

/** Replaces removed functions. */
export function refuse(): never {
  throw new Error("This process may not do that.")
}

/**
 * Replaces every function of a built-in module or prototype with one that throws. The change is made in place, because all code shares the
 * object.
 */
export function disable(target: object, by: () => never = refuse): void {
  for (const [name, { value, writable }] of Object.entries(Object.getOwnPropertyDescriptors(target))) {
    if (typeof value === "function" && writable && name !== "constructor") Reflect.set(target, name, by)
  }
}

/** Missing from Node's types, because it exists only with the permission model. */
interface Permission {
  drop(right: "worker" | "addon" | "child" | "fs.read"): void
}

const { permission } = process as unknown as { permission?: Permission }

/** Threads don't have this module. */
const traceEvents = workerThreads.isMainThread ? process.getBuiltinModule("node:trace_events") : undefined

/** Functions of `process` that reach other processes, load native code, or change the basis of the permission model's decisions. */
const reaching = (
  "kill _kill _debugProcess dlopen binding _linkedBinding execve " +
  // a relative path is checked against the current directory, but opened from the directory at that later time
  "chdir umask setuid seteuid setgid setegid setgroups initgroups"
).split(" ")

/** Forbids opening files from now on: everything that this process needs is loaded. */
export function dropFileAccess(): void {
  permission?.drop("fs.read")
}

/**
 * The last step of starting a child. It needed these rights to start; the data that it reads from now on must not get them. A new thread
 * would be a realm from which nothing was removed, and native code isn't limited to a realm.
 */
export function dropRights(): void {
  for (const right of ["worker", "addon", "child"] as const) permission?.drop(right)
  Reflect.set(workerThreads, "Worker", refuse)
  disable(childProcess)
  for (const name of reaching) Reflect.set(process, name, refuse)
  // V8 flags, snapshots, traces and reports can be written to any file, which the permission model doesn't check
  for (const each of [v8, inspector, ...(traceEvents ? [traceEvents] : [])]) disable(each)
  Object.defineProperty(process, "report", { value: undefined })
  for (const name of ["register", "registerHooks", "enableCompileCache", "flushCompileCache"])
    Reflect.set(module, name, refuse)
  Reflect.set(crypto, "setEngine", refuse)
  Reflect.set(os, "setPriority", refuse)
  // packages' signal handlers clean up and send the signal again, which is now refused; without them, the signal ends the process
  for (const event of process.eventNames())
    if (String(event).startsWith("SIG")) process.removeAllListeners(event)
  syncBuiltinESMExports()
}
