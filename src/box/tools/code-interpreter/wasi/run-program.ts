import { errno, ProgramExit, WasiError } from "./errors.ts"
import { Descriptors, openDirectory, openFile, rootDescriptor, type Open, type Sink } from "./descriptors.ts"
import { dataCalls } from "./data-calls.ts"
import { fileCalls } from "./file-calls.ts"
import { GuestMemory } from "./guest-memory.ts"
import { ReadOnlyFile, type MemoryDirectory } from "./memory-files.ts"
import { pathCalls } from "./path-calls.ts"
import { systemCalls } from "./system-calls.ts"

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
