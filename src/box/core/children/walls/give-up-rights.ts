import childProcess from "node:child_process"
import crypto from "node:crypto"
import inspector from "node:inspector"
import module, { syncBuiltinESMExports } from "node:module"
import os from "node:os"
import process from "node:process"
import v8 from "node:v8"
import workerThreads from "node:worker_threads"
import { disable, refuse } from "./disable.ts"

/** What Node's types lack: it exists with the permission model only. */
interface Permission {
  drop(right: "worker" | "addon" | "child" | "fs.read"): void
}

const { permission } = process as unknown as { permission?: Permission }

/** Threads have none. */
const traceEvents = workerThreads.isMainThread ? process.getBuiltinModule("node:trace_events") : undefined

/** Functions of `process` that reach others, load native code, or change what the permission model goes by. */
const reaching = (
  "kill _kill _debugProcess dlopen binding _linkedBinding execve " +
  // a relative path is judged where the process is, and opened where it has gone meanwhile
  "chdir umask setuid seteuid setgid setegid setgroups initgroups"
).split(" ")

/** From now on no file is opened: everything that this process needs is loaded. */
export function giveUpFiles(): void {
  permission?.drop("fs.read")
}

/**
 * The last step of starting a child: it needed these to become what it is, and whatever it reads from now on gets none of
 * them. A thread of its own would be a realm that nothing was taken from; native code knows no realm at all.
 */
export function giveUpRights(): void {
  for (const right of ["worker", "addon", "child"] as const) permission?.drop(right)
  Reflect.set(workerThreads, "Worker", refuse)
  disable(childProcess)
  for (const name of reaching) Reflect.set(process, name, refuse)
  // flags of V8, snapshots, traces and reports are written to any file: the permission model doesn't see them
  for (const each of [v8, inspector, ...(traceEvents ? [traceEvents] : [])]) disable(each)
  Object.defineProperty(process, "report", { value: undefined })
  for (const name of ["register", "registerHooks", "enableCompileCache", "flushCompileCache"])
    Reflect.set(module, name, refuse)
  Reflect.set(crypto, "setEngine", refuse)
  Reflect.set(os, "setPriority", refuse)
  // handlers of packages tidy up and send the signal again, which is refused now: it ends the process by itself
  for (const event of process.eventNames())
    if (String(event).startsWith("SIG")) process.removeAllListeners(event)
  syncBuiltinESMExports()
}
