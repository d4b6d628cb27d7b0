import { afterAll, beforeAll, vi } from "vitest"

/**
 * Runs before each test file. Test files of the same worker share a process. A file that leaves the process changed fails here, with a list
 * of the changes, so that no later file fails instead.
 */
interface ProcessState {
  environment: Record<string, string | undefined>
  directory: string
  mask: number
  listeners: Record<string, number>
  globals: Map<PropertyKey, unknown>
}

/**
 * Events whose listeners change the behaviour of the process. Packages may add and keep signal listeners when they are loaded, so signals
 * aren't checked.
 */
const watchedEvents = ["uncaughtException", "unhandledRejection", "uncaughtExceptionMonitor"]

/** Set when LanceDB is loaded. */
const ignoredVariables = new Set(["LANCEDB_LOG"])

/** Globals of Vitest, of the platform (created on first use), of electron-builder (named by the process id) and of the AWS SDK. */
const ignoredGlobals =
  /^(__|\d+$|awslambda$|vitest|Symbol\(|expect|performance$|crypto$|navigator$|localStorage$|sessionStorage$|jest)/

function readState(): ProcessState {
  const mask = process.umask()
  const globals = new Map<PropertyKey, unknown>()
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(globalThis)))
    if (!ignoredGlobals.test(name)) globals.set(name, value)
  return {
    environment: { ...process.env },
    directory: process.cwd(),
    mask,
    listeners: Object.fromEntries(watchedEvents.map((event) => [event, process.listenerCount(event)])),
    globals,
  }
}

/** Returns the names of what differs. */
function compare(before: ProcessState, after: ProcessState): string[] {
  const names = (one: object, other: object) => [...new Set([...Object.keys(one), ...Object.keys(other)])]
  const { environment, listeners, globals } = before
  return [
    ...names(environment, after.environment)
      .filter((name) => !ignoredVariables.has(name) && environment[name] !== after.environment[name])
      .map((name) => `process.env.${name}`),
    ...(before.directory === after.directory ? [] : ["the working directory"]),
    ...(before.mask === after.mask ? [] : ["the umask"]),
    ...names(listeners, after.listeners)
      .filter((event) => listeners[event] !== after.listeners[event])
      .map((event) => `listeners of process for "${event}"`),
    ...[...new Set([...globals.keys(), ...after.globals.keys()])]
      .filter((name) => !Object.is(globals.get(name), after.globals.get(name)))
      .map((name) => `globalThis.${String(name)}`),
  ]
}

let before: ProcessState
/** Listener leaks that Node has warned of. */
const leaks: string[] = []
const noteLeak = ({ name, message }: Error) => {
  if (name === "MaxListenersExceededWarning") leaks.push(message)
}
beforeAll(() => {
  before = readState()
  process.on("warning", noteLeak)
})
afterAll(() => {
  process.off("warning", noteLeak)
  const usesFakeTimers = vi.isFakeTimers()
  vi.useRealTimers()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  const changed = [...(usesFakeTimers ? ["fake timers"] : []), ...compare(before, readState())]
  if (changed.length > 0) throw new Error(`This file leaves changed for the next one: ${changed.join(", ")}.`)
  if (leaks.length > 0) throw new Error(leaks.join("\n"))
})
