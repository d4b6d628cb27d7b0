import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { createRequire } from "node:module"
import { join, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { z } from "zod"
import { ChildKind, type ChildWalls, type InactiveSandboxReason } from "../../../shared/contract/privacy.ts"
import type { BytesLocation } from "./parent.ts"
import { innerProperty } from "./sandbox/inner-property.ts"
import { getSystemSandbox, getGraphicsSandbox, type SystemSandbox } from "./sandbox/system-sandbox.ts"

const kinds = { Uint8Array, Float32Array }

/**
 * Maximum length of the JSON text, in bytes: a parser's batch is at most 1 MB. In the worst case, parsing takes 30 times as much memory.
 */
const maxText = 8 * 2 ** 20
const textLengthBytes = 4

const BytesLocationSchema: z.ZodType<BytesLocation> = z.object({
  path: z.array(z.union([z.string(), z.int()])).max(20),
  kind: z.enum(["Uint8Array", "Float32Array"]),
  length: z.int().min(0),
})
const Text = z.object({ message: z.unknown(), places: z.array(BytesLocationSchema).max(10_000) })

/** Decodes the output of `encodeMessage`. The sender may be hostile. Throws on any other input. */
export function decodeMessage(bytes: Buffer): unknown {
  const end = textLengthBytes + bytes.readUInt32LE()
  if (end - textLengthBytes > maxText || end > bytes.length)
    throw new Error("The text of a message is too long.")
  const { message, places } = Text.parse(JSON.parse(bytes.toString("utf8", textLengthBytes, end)))
  const root = { message }
  let at = end
  for (const { path, kind, length } of places) {
    if (at + length > bytes.length) throw new Error("A message is shorter than it says.")
    // a copy, because arrays of four-byte numbers need an aligned start
    const part = new Uint8Array(bytes.subarray(at, at + length))
    place(root, ["message", ...path], new kinds[kind](part.buffer))
    at += length
  }
  return root.message
}

function place(root: object, path: readonly (string | number)[], bytes: Uint8Array | Float32Array): void {
  let holder: unknown = root
  for (const [index, key] of path.entries()) {
    // only own properties: `__proto__` leads to objects that all code shares
    if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, key))
      throw new Error("A message has no such place.")
    if (index === path.length - 1) Reflect.set(holder, key, bytes)
    holder = Reflect.get(holder, key)
  }
}

/** Internal part of Node's channel object, which has no public interface. */
interface Channel {
  onread(this: unknown, bytes?: ArrayBuffer): void
}

/** Each message is preceded by its length in bytes. */
const lengthBytes = 4

/**
 * Reads a child's messages, which `parent.ts` encodes, in place of Node. Calls `end` on any other data in the channel, or on a message of
 * more than `maxBytes`. A compromised child could otherwise make Node throw an error that can't be caught, or build gigabytes of objects
 * from a few hundred bytes before they can be checked.
 */
function boundChannel(child: ChildProcess, maxBytes: number, end: () => void): void {
  const channel = innerProperty(child, "kChannelHandle") as Channel | undefined
  if (channel === undefined) return // the child never started
  const nodeReads = channel.onread
  let chunks: Buffer[] = []
  let size = 0
  /** Length of the message that is arriving; undefined until its length has arrived. */
  let length: number | undefined
  let isOver = false

  function take(count: number): Buffer {
    const all = Buffer.concat(chunks, size)
    chunks = [all.subarray(count)]
    size -= count
    return all.subarray(0, count)
  }

  /** Returns the next complete message. Throws if the data isn't a message. */
  function next(): { message: unknown } | undefined {
    if (length === undefined && size >= lengthBytes) length = take(lengthBytes).readUInt32BE()
    if (length === undefined) return undefined
    if (length > maxBytes) throw new Error("A message is too long.")
    if (size < length) return undefined
    const message = decodeMessage(getContent(take(length)))
    length = undefined
    return { message }
  }

  channel.onread = function (bytes) {
    if (bytes === undefined) return nodeReads.call(this) // the channel is closed
    if (isOver) return
    chunks.push(Buffer.from(bytes))
    size += bytes.byteLength
    const arrived: unknown[] = []
    try {
      for (let found = next(); found; found = next()) arrived.push(found.message)
    } catch {
      isOver = true
    }
    for (const message of arrived) child.emit("message", message)
    if (isOver) end()
  }
}

/** Returns the bytes of a Uint8Array in Node's format, if there is nothing else: version, host object, view, kind. */
function getContent(written: Buffer): Buffer {
  const isBytes = written[0] === 0xff && written.toString("hex", 2, 5) === "5c0001"
  let at = 5
  let length = 0
  for (let shift = 0; shift < 32; shift += 7) {
    const byte = written[at++] ?? 0
    length += (byte & 0x7f) * 2 ** shift
    if (byte < 0x80) break
  }
  if (!isBytes || length !== written.length - at) throw new Error("This is no message of ours.")
  return written.subarray(at)
}

/**
 * A child process that exchanges structured-clone messages. Heavy or hostile work, such as the model engine and the document parsers, runs
 * in one. Under Node it is a forked process, under Electron a utility process, so the same code works for both.
 */
export interface Child {
  readonly pid: number | undefined
  /** Sends one message; ignored when the child is gone. */
  send(message: unknown): void
  /** Accepts only messages of this shape, because the child may be compromised. Any other message ends the child. */
  onMessage<Message>(shape: z.ZodType<Message>, listener: (message: Message) => void): void
  /** Calls the listener at each heartbeat: the child was given time to run (`heartbeat.ts`). */
  onBeat(listener: () => void): void
  /** Calls the listener once, with the reason why the child ended. */
  onExit(listener: (reason: ExitReason) => void): void
  /** Ends the child at once; `onExit` receives `why`. */
  kill(why?: string): void
  /** Settles when the process is gone. */
  readonly exited: Promise<void>
}

/**
 * The exit code; the name of a signal that came from outside the box; the reason that its owner passed to `kill`; `malformed` if an invalid
 * message ended it; null if it never started.
 */
export type ExitReason = number | string | null

export interface ChildOptions {
  /** A name from `childEntries`. */
  entry: ChildEntry
  /** The complete environment of the child; it inherits nothing else. */
  env: Record<string, string>
  execArgv?: string[]
  args?: string[]
  /** Called with the child's error output in pieces; without it, that output goes to this process's error output. */
  onOutput?: (text: string) => void
}

export type SpawnChild = (options: ChildOptions) => Child

/** Programs that run as separate processes. electron.vite.config.ts lists their sources. */
export const childEntries = [
  "engine",
  "parser",
  "calculator",
  "python",
  "database-checker",
  "database-converter",
  "table-maker",
  "table-query",
] as const

export type ChildEntry = (typeof childEntries)[number]

const megabyte = 2 ** 20

/** Maximum size of a message in bytes. The largest ones are page images, a program's files, and vectors of 16 texts. */
const maxBytes: Record<ChildEntry, number> = {
  engine: 16 * megabyte,
  parser: 80 * megabyte,
  calculator: 8 * megabyte,
  python: 16 * megabyte,
  "database-checker": 8 * megabyte,
  "database-converter": megabyte,
  "table-maker": 16 * megabyte,
  "table-query": 16 * megabyte,
}

/**
 * Directory of the built programs. Code that runs from source, such as a test, starts them too, because they need half the processor time
 * of their sources.
 */
const programsDirectory = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../../../out/main/" : "./", import.meta.url),
)

export const childPath = (entry: ChildEntry): string => join(programsDirectory, `${entry}.js`)

/** Starts children as forked processes, in the sandbox that the system offers. */
export const spawnNodeChild: SpawnChild = (options) =>
  forkChild(options, options.entry === "engine" ? getGraphicsSandbox() : getSystemSandbox())

/** A process that exits immediately can't wait for its children, and a suspended child doesn't notice that its parent is gone. */
const running = new Set<ChildProcess>()
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")))

/** Starts a child in the given sandbox, so that tests can try each one separately. */
export function forkChild(
  { entry, env, execArgv = [], args = [], onOutput }: ChildOptions,
  wall: SystemSandbox,
): Child {
  const child = fork(childPath(entry), args, {
    env,
    ...(wall.stands
      ? { execPath: wall.program, execArgv: [...wall.args, process.execPath, ...execArgv] }
      : { execArgv }),
    serialization: "advanced",
    stdio: ["ignore", "pipe", onOutput ? "pipe" : "inherit", "ipc"],
  })
  running.add(child)
  if (onOutput) child.stderr?.setEncoding("utf8").on("data", onOutput)
  const exited = once(child, "exit").then(
    () => undefined,
    () => undefined, // 'error' before 'exit' means that it never started, so it is gone
  )
  void exited.then(() => running.delete(child))
  let killed: string | undefined
  const kill = (why = unwanted): void => {
    killed ??= why
    child.kill("SIGKILL")
  }
  const end = () => kill(malformed)
  boundChannel(child, maxBytes[entry], end)
  return {
    pid: child.pid,
    send: (message) => {
      if (child.connected) child.send(message as object, () => undefined)
    },
    onMessage: (shape, listener) => child.on("message", checkedListener(shape, listener, end)),
    onBeat: (listener) => child.stdout?.on("data", listener),
    onExit: (listener) => {
      child.once("exit", (code, signal) => listener(killed ?? signal ?? code))
      child.once("error", () => listener(null))
    },
    kill,
    exited,
  }
}

/** Exit reason of a child that sent an invalid message. */
export const malformed = "malformed message"
/** Exit reason of a child that was given work and no longer runs: someone suspended it, or it hangs. */
export const frozen = "it had stopped answering"
/** Exit reason of a child whose owner gives no other reason. */
export const unwanted = "it wasn't needed any more"

const deadly = new Set<ExitReason>(["SIGKILL", "SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", frozen])

/**
 * Whether the cause was outside the child: the system was short of memory, or a person ended it. The same work may succeed when retried.
 */
export const isFromOutside = (reason: ExitReason): boolean => deadly.has(reason)

/** Passes messages of the given shape to the listener; calls `end` on any other message. */
export function checkedListener<Message>(
  shape: z.ZodType<Message>,
  listener: (message: Message) => void,
  end: () => void,
): (message: unknown) => void {
  return (message) => {
    const parsed = shape.safeParse(message)
    if (parsed.success) listener(parsed.data)
    else end()
  }
}

export interface Rights {
  /** Files, or directories with all their contents, that a child may read as well as the program itself. */
  read?: readonly string[]
  /** For its watchdog, before it reads any data: `dropRights` removes it. */
  threads?: true
  /** For the program's native code and a process that tries it out, before anything else: `dropRights` removes both. */
  addons?: true
}

/**
 * Arguments for Node's permission model: the process may read the program's code and has only these additional rights. The model doesn't
 * cover networks or `node:sqlite`, which opens any file, so that module is disabled.
 */
export function permissionArguments({ read = [], threads, addons }: Rights = {}): string[] {
  return [
    "--permission",
    ...[...programDirectories(), ...read].map((path) => `--allow-fs-read=${path}`),
    ...(threads ? ["--allow-worker"] : []),
    ...(addons ? ["--allow-addons", "--allow-child-process"] : []),
    "--disable-warning=SecurityWarning", // the warning that these rights need care
    "--no-experimental-sqlite",
    "--disable-sigusr1",
  ]
}

/** Returns a pattern for a directory and everything in it, for a right to read or write. */
export const everythingIn = (directory: string): string => join(directory, "*")

/** Returns the directories of the program's code: its bundle, and the packages that it uses. */
function programDirectories(): string[] {
  const aPackage = createRequire(import.meta.url).resolve("yauzl")
  const packages = `${sep}node_modules${sep}`
  return [
    everythingIn(programsDirectory),
    aPackage.slice(0, aPackage.lastIndexOf(packages) + packages.length) + "*",
  ]
}

/** Reports the sandboxes of children that are forked processes. */
export const describeForkedSandboxes = (): ChildWalls[] =>
  report(null, (child) => (child === "engine" ? getGraphicsSandbox() : getSystemSandbox()))

/** Reports the sandboxes of Electron's utility processes: they have no permission model, and no sandbox can be put around them. */
export const describeDesktopSandboxes = (): ChildWalls[] =>
  report("desktop", () => ({ stands: false, reason: "desktop" }))

function report(
  noPermissions: InactiveSandboxReason | null,
  getSystem: (child: ChildKind) => SystemSandbox | { stands: false; reason: InactiveSandboxReason },
): ChildWalls[] {
  return ChildKind.options.map((child) => {
    const system = getSystem(child)
    return {
      child,
      walls: [
        { wall: "realm", stands: true, reason: null },
        { wall: "permissions", stands: noPermissions === null, reason: noPermissions },
        { wall: "system", stands: system.stands, reason: system.stands ? null : system.reason },
      ],
    }
  })
}
