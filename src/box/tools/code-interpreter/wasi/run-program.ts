import { webcrypto } from "node:crypto"
import { Descriptors, openDirectory, openFile, rootDescriptor, type Open, type Sink } from "./descriptors.ts"
import { ProgramExit, WasiError, errno } from "./errors.ts"
import { dataCalls, fileCalls } from "./file-calls.ts"
import { GuestMemory } from "./guest-memory.ts"
import { ReadOnlyFile, type MemoryDirectory } from "./memory-files.ts"
import { pathCalls } from "./path-calls.ts"

const clock = { realtime: 0, monotonic: 1, processTime: 2, threadTime: 3 } as const
const resolution = 1_000_000n
const absolute = 1
const maxConcurrentRandom = 65_536
const subscription = { size: 48, clock: 0 } as const
const eventSize = 32

/** The wasi_snapshot_preview1 calls about arguments, time, random numbers and exit. Calls about sockets fail. */
function systemCalls(memory: GuestMemory, args: readonly string[]) {
  const encoded = args.map((arg) => new TextEncoder().encode(`${arg}\0`))
  const sleeper = new Int32Array(new SharedArrayBuffer(4))

  function getNow(id: number): bigint {
    if (id === clock.realtime) return BigInt(Date.now()) * 1_000_000n
    if (id > clock.threadTime || id < 0) throw new WasiError("inval")
    return BigInt(Math.round(performance.now() * 1e6))
  }

  return {
    args_sizes_get(count: number, size: number) {
      memory.setU32(count, encoded.length)
      memory.setU32(
        size,
        encoded.reduce((sum, { byteLength }) => sum + byteLength, 0),
      )
    },
    args_get(pointers: number, buffer: number) {
      let at = buffer >>> 0
      for (const [index, arg] of encoded.entries()) {
        memory.setU32((pointers >>> 0) + index * 4, at)
        memory.bytes(at, arg.byteLength).set(arg)
        at += arg.byteLength
      }
    },
    environ_sizes_get(count: number, size: number) {
      memory.setU32(count, 0)
      memory.setU32(size, 0)
    },
    environ_get: () => undefined,
    clock_res_get(id: number, result: number) {
      getNow(id)
      memory.setU64(result, resolution)
    },
    clock_time_get: (id: number, _precision: bigint, result: number) => memory.setU64(result, getNow(id)),
    /** Sleeping is the only supported wait. */
    poll_oneoff(pointer: number, events: number, count: number, result: number) {
      if (count !== 1) throw new WasiError(count === 0 ? "inval" : "notsup")
      const wanted = memory.view(pointer, subscription.size)
      const userdata = wanted.getBigUint64(0, true)
      if (wanted.getUint8(8) !== subscription.clock) throw new WasiError("notsup")
      const id = wanted.getUint32(16, true)
      const timeout = wanted.getBigUint64(24, true)
      const from = (wanted.getUint16(40, true) & absolute) === 0 ? 0n : getNow(id)
      const nanoseconds = timeout > from ? timeout - from : 0n
      const event = memory.view(events, eventSize)
      memory.setU32(result, 1)
      Atomics.wait(sleeper, 0, 0, Number(nanoseconds) / 1e6)
      event.setBigUint64(0, userdata, true)
      for (const offset of [8, 16, 24]) event.setBigUint64(offset, 0n, true)
    },
    proc_exit(code: number): never {
      throw new ProgramExit(code >>> 0)
    },
    sched_yield: () => undefined,
    random_get(pointer: number, length: number) {
      const bytes = memory.bytes(pointer, length)
      for (let at = 0; at < bytes.byteLength; at += maxConcurrentRandom) {
        webcrypto.getRandomValues(bytes.subarray(at, at + maxConcurrentRandom))
      }
    },
    sock_accept: refuseSockets,
    sock_recv: refuseSockets,
    sock_send: refuseSockets,
    sock_shutdown: refuseSockets,
  }
}

function refuseSockets(): never {
  throw new WasiError("notsup")
}

export interface Program {
  module: WebAssembly.Module
  args: readonly string[]
  /** Standard input. */
  input: Uint8Array
  output: Sink
  root: MemoryDirectory
}

/**
 * Runs a program to its end in a new instance, and returns its exit code. The program can reach only what these calls provide: its memory,
 * files in memory, the time and random numbers. Throws if the program crashes.
 */
export function runProgram({ module, args, input, output, root }: Program): number {
  const { imports, connect } = wasiImports({ args, input, output, root })
  const instance = new WebAssembly.Instance(module, imports)
  const { memory, _start: start } = instance.exports as unknown as {
    memory: WebAssembly.Memory
    _start(): void
  }
  connect(memory)
  try {
    start()
    return 0
  } catch (error) {
    if (error instanceof ProgramExit) return error.code
    throw error
  }
}

/** The functions that a program may import. The program owns its memory, so the memory is available only after the instance is created. */
export function wasiImports({ args, input, output, root }: Omit<Program, "module">) {
  let connected: WebAssembly.Memory | undefined
  const memory = new GuestMemory({
    get buffer() {
      if (connected === undefined) throw new Error("A program calls only once it runs.")
      return connected.buffer
    },
  })
  const out: Open = { kind: "stream", sink: output }
  const stdin = openFile(new ReadOnlyFile(input), { readable: true, writable: false, appends: false })
  const descriptors = new Descriptors(
    new Map<number, Open>([
      [0, stdin],
      [1, out],
      [2, out],
      [rootDescriptor, openDirectory(root)],
    ]),
  )
  const calls = {
    ...systemCalls(memory, args),
    ...fileCalls(memory, descriptors),
    ...dataCalls(memory, descriptors),
    ...pathCalls(memory, descriptors),
  }
  return {
    imports: {
      wasi_snapshot_preview1: Object.fromEntries(
        Object.entries(calls).map(([name, call]) => [name, toErrno(call)]),
      ),
    },
    connect(of: WebAssembly.Memory) {
      connected = of
    },
  }
}

/** Returns a call's error number to the program. Any other error is thrown through the program and ends it. */
function toErrno(call: (...args: never[]) => void): (...args: never[]) => number {
  return (...args) => {
    try {
      call(...args)
      return errno.success
    } catch (error) {
      if (error instanceof WasiError) return error.errno
      throw error
    }
  }
}
