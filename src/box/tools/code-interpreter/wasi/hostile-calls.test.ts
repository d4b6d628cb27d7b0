import { expect, it } from "vitest"
import { hostileModule, resultAt, type Argument } from "../testing/hostile-module.ts"
import { errno, ProgramExit } from "./errors.ts"
import { createDirectory, FileQuota, ReadOnlyFile, MemoryDirectory } from "./memory-files.ts"
import { wasiImports } from "./run-program.ts"

const secret = "not for programs"
const page = 65_536
const [path, vectors, result] = [0, 1024, 2048]
const huge = 0xffff_ffff | 0
const max = 2n ** 64n - 1n

/** Memory with a path at 0, and a vector at 1,024 that points to 16 bytes at 4,096. */
function memoryWith(name: string | Uint8Array, vector: readonly [number, number] = [4096, 16]) {
  const data = new Uint8Array(8192)
  const bytes = typeof name === "string" ? new TextEncoder().encode(name) : name
  data.set(bytes, path)
  new DataView(data.buffer).setUint32(vectors, vector[0], true)
  new DataView(data.buffer).setUint32(vectors + 4, vector[1], true)
  return { data, length: bytes.byteLength }
}

interface World {
  root: MemoryDirectory
  tmp: MemoryDirectory
  written: number
}

function world(): World & {
  call(name: string, args: readonly Argument[], data?: Uint8Array<ArrayBuffer>): number
} {
  const tmp = new MemoryDirectory(new FileQuota({ bytes: 1_000_000, entries: 20 }))
  const given = createDirectory({ "secret.txt": new ReadOnlyFile(new TextEncoder().encode(secret)) })
  const root = createDirectory({ tmp, in: given })
  const state = { root, tmp, written: 0 }
  const output = { write: (bytes: Uint8Array) => void (state.written += bytes.byteLength) }
  const { imports, connect } = wasiImports({ args: ["python"], input: new Uint8Array(4), output, root })
  return Object.assign(state, {
    call(name: string, args: readonly Argument[], data?: Uint8Array<ArrayBuffer>) {
      const instance = new WebAssembly.Instance(hostileModule(name, args, data), imports)
      const { memory, _start: start } = instance.exports as {
        memory: WebAssembly.Memory
        _start(): void
      }
      connect(memory)
      start()
      return new DataView(memory.buffer).getUint32(resultAt, true)
    },
  })
}

const getName = (number: number) => Object.entries(errno).find(([, value]) => value === number)?.[0] ?? number

const open = (name: string | Uint8Array, flags: number, rights: bigint, fd = 3): Case => {
  const { data, length } = memoryWith(name)
  return ["path_open", [fd, 1, path, length, flags, rights, max, 0, result], data]
}
const onPath = (call: string, name: string, before: Argument[] = [], after: Argument[] = []): Case => {
  const { data, length } = memoryWith(name)
  return [call, [3, ...before, path, length, ...after], data]
}
const rename = (from: string, to: string): Case => {
  const { data, length } = memoryWith(`${from}${to}`)
  return ["path_rename", [3, path, length - to.length, 3, path + from.length, to.length], data]
}
const [create, directory, exclusive, truncate] = [1, 2, 4, 8]
const [reading, writing] = [2n, 64n]

type Case = [call: string, args: Argument[], data?: Uint8Array<ArrayBuffer>]

/** A subscription to the clock with this number. */
function sleeping(clock: number): Uint8Array<ArrayBuffer> {
  const subscription = new Uint8Array(48)
  subscription[16] = clock
  subscription[40] = 1 // absolute time, which is in the past
  return subscription
}

/** The error that each call must return. No call may throw or change anything. */
const refused: [expected: keyof typeof errno, ...Case][] = [
  // descriptors that aren't open
  ...[4, 5, 64, 256, 1_000_000, -1, -2_147_483_648, 2_147_483_647].map(
    (fd) => ["badf", "fd_close", [fd]] as [keyof typeof errno, ...Case],
  ),
  ["badf", "fd_read", [99, vectors, 1, result]],
  ["badf", "fd_write", [99, vectors, 1, result]],
  ["badf", "fd_pread", [99, vectors, 1, 0n, result]],
  ["badf", "fd_pwrite", [99, vectors, 1, 0n, result]],
  ["badf", "fd_seek", [99, 0n, 0, result]],
  ["badf", "fd_tell", [99, result]],
  ["badf", "fd_sync", [99]],
  ["badf", "fd_datasync", [99]],
  ["badf", "fd_advise", [99, 0n, 0n, 0]],
  ["badf", "fd_allocate", [99, 0n, 1n]],
  ["badf", "fd_fdstat_get", [99, result]],
  ["badf", "fd_fdstat_set_flags", [99, 0]],
  ["badf", "fd_filestat_get", [99, result]],
  ["badf", "fd_filestat_set_size", [99, 0n]],
  ["badf", "fd_filestat_set_times", [99, 0n, 0n, 0]],
  ["badf", "fd_readdir", [99, 4096, 64, 0n, result]],
  ["badf", "fd_prestat_get", [4, result]],
  ["badf", "fd_prestat_get", [-1, result]],
  ["badf", "fd_prestat_dir_name", [4, result, 1]],
  ["notsup", "fd_close", [3]],
  // open descriptors of the wrong type
  ["isdir", "fd_read", [3, vectors, 1, result]],
  ["isdir", "fd_write", [3, vectors, 1, result]],
  ["isdir", "fd_seek", [3, 0n, 0, result]],
  ["isdir", "fd_filestat_set_size", [3, 9n]],
  ["isdir", "fd_allocate", [3, 0n, 9n]],
  ["spipe", "fd_seek", [1, 0n, 0, result]],
  ["spipe", "fd_filestat_set_size", [1, max]],
  ["badf", "fd_read", [1, vectors, 1, result]],
  ["badf", "fd_write", [0, vectors, 1, result]],
  ["badf", "fd_pwrite", [0, vectors, 1, 0n, result]],
  ["badf", "fd_filestat_set_size", [0, 0n]],
  ["badf", "fd_allocate", [0, 0n, max]],
  ["badf", "fd_filestat_set_times", [1, 0n, 0n, 4]],
  ["rofs", "fd_filestat_set_times", [3, 0n, 0n, 4]],
  ["notdir", "fd_readdir", [0, 4096, 64, 0n, result]],
  ["notdir", "path_filestat_get", [1, 0, path, 1, result]],
  ["inval", "fd_seek", [0, -1n, 0, result]],
  ["inval", "fd_seek", [0, 2n ** 63n - 1n, 2, result]],
  ["inval", "fd_seek", [0, 0n, 3, result]],
  ["inval", "fd_seek", [0, 0n, -1, result]],
  ["notsup", "fd_fdstat_set_flags", [0, -1]],
  // pointers and lengths outside the program's memory
  ["fault", "fd_read", [0, vectors, 1, -1]],
  ["fault", "fd_read", [0, -8, 1, result]],
  ["fault", "fd_read", [0, page - 4, 1, result]],
  ["inval", "fd_read", [0, 0, huge, result]],
  ["inval", "fd_write", [1, 0, 0x2000_0001, result]],
  ["inval", "fd_write", [1, 0, -2_147_483_648, result]],
  ["fault", "fd_write", [1, vectors, 1, result], memoryWith("", [0, huge]).data],
  ["fault", "fd_write", [1, vectors, 1, result], memoryWith("", [huge, 1]).data],
  ["fault", "fd_write", [1, vectors, 1, result], memoryWith("", [page - 1, 2]).data],
  ["fault", "fd_read", [0, vectors, 1, result], memoryWith("", [page, 1]).data],
  ["fault", "fd_read", [0, vectors, 1, result], memoryWith("", [-16, 32]).data],
  ["fault", "fd_fdstat_get", [0, page - 23]],
  ["fault", "fd_filestat_get", [0, page - 63]],
  ["fault", "fd_filestat_get", [0, huge]],
  ["fault", "fd_seek", [0, 0n, 0, page - 7]],
  ["fault", "fd_tell", [0, huge]],
  ["fault", "fd_prestat_get", [3, page - 4]],
  ["fault", "fd_prestat_dir_name", [3, page, 1]],
  ["nametoolong", "fd_prestat_dir_name", [3, 0, 0]],
  ["fault", "fd_readdir", [3, 4096, huge, 0n, result]],
  ["fault", "fd_readdir", [3, huge, 64, 0n, result]],
  ["fault", "random_get", [0, page + 1]],
  ["fault", "random_get", [-1, 2]],
  ["fault", "random_get", [0, huge]],
  ["fault", "clock_time_get", [0, 0n, huge]],
  ["fault", "clock_res_get", [0, page - 7]],
  ["inval", "clock_time_get", [99, 0n, result]],
  ["inval", "clock_time_get", [-1, 0n, result]],
  ["inval", "clock_res_get", [4, result]],
  ["fault", "args_get", [huge, 0]],
  ["fault", "args_get", [0, page - 2]],
  ["fault", "args_sizes_get", [huge, 0]],
  ["fault", "environ_sizes_get", [0, huge]],
  ["fault", "path_open", [3, 0, huge, 4, 0, reading, max, 0, result]],
  ["fault", "path_open", [3, 0, page - 1, 4, 0, reading, max, 0, result]],
  ["nametoolong", "path_open", [3, 0, 0, huge, 0, reading, max, 0, result]],
  ["nametoolong", "path_filestat_get", [3, 0, 0, 4097, result]],
  // waiting
  ["inval", "poll_oneoff", [0, 4096, 0, result]],
  ["notsup", "poll_oneoff", [0, 4096, 2, result]],
  ["notsup", "poll_oneoff", [0, 4096, huge, result]],
  ["fault", "poll_oneoff", [huge, 4096, 1, result]],
  ["fault", "poll_oneoff", [0, huge, 1, result]],
  ["notsup", "poll_oneoff", [0, 4096, 1, result], Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0, 1])],
  ["inval", "poll_oneoff", [0, 4096, 1, result], sleeping(99)],
  // sockets
  ["notsup", "sock_accept", [3, 0, result]],
  ["notsup", "sock_recv", [0, vectors, 1, 0, result, result]],
  ["notsup", "sock_send", [1, vectors, 1, 0, result]],
  ["notsup", "sock_shutdown", [1, 3]],
  // paths that lead outside
  ["notcapable", ...open("/etc/passwd", 0, reading)],
  ["notcapable", ...open("/", 0, reading)],
  ["notcapable", ...open("..", 0, reading)],
  ["notcapable", ...open("../etc/passwd", 0, reading)],
  ["notcapable", ...open("tmp/../../etc/passwd", 0, reading)],
  ["notcapable", ...open("./././../x", create, writing)],
  ["notcapable", ...open("in/../..", 0, reading)],
  ["noent", ...open("", 0, reading)],
  ["noent", ...open("proc/self/environ", 0, reading)],
  ["noent", ...open("..%2f..%2fetc", 0, reading)],
  ["noent", ...open("..\\..\\etc", 0, reading)],
  ["noent", ...open("C:\\Windows", 0, reading)],
  ["noent", ...open("\uff0e\uff0e/etc", 0, reading)],
  ["inval", ...open("tmp/a\0/../../etc", create, writing)],
  ["ilseq", ...open(Uint8Array.from([0xff, 0xfe]), 0, reading)],
  ["ilseq", ...open(Uint8Array.from([0xc0, 0xae, 0xc0, 0xae, 0x2f]), 0, reading)],
  ["notdir", ...open("in/secret.txt/", 0, reading)],
  ["notdir", ...open("in/secret.txt/..", 0, reading)],
  ["notdir", ...open("in/secret.txt", directory, reading)],
  // names with a meaning in JavaScript
  ...["__proto__", "constructor", "toString", "hasOwnProperty", "__proto__/constructor"].map(
    (name) => ["noent", ...open(name, 0, reading)] as [keyof typeof errno, ...Case],
  ),
  ["noent", ...open("tmp/__proto__/x", create, writing)],
  // read-only files
  ["rofs", ...open("in/secret.txt", 0, writing)],
  ["rofs", ...open("in/secret.txt", truncate, reading)],
  ["rofs", ...open("in/new", create, writing)],
  ["rofs", ...open("new", create, writing)],
  ["exist", ...open("in/secret.txt", create | exclusive, reading)],
  ["isdir", ...open("tmp", 0, writing)],
  ["isdir", ...open("tmp", truncate, reading)],
  ["isdir", ...open("tmp/new/", create, writing)],
  ["inval", ...open("tmp/new", create | directory, writing)],
  ["nametoolong", ...open(`tmp/${"x".repeat(256)}`, create, writing)],
  ["nametoolong", ...open(`tmp/${"é".repeat(128)}`, create, writing)],
  ["rofs", ...onPath("path_create_directory", "in/new")],
  ["rofs", ...onPath("path_create_directory", "new")],
  ["exist", ...onPath("path_create_directory", "tmp")],
  ["exist", ...onPath("path_create_directory", ".")],
  ["notcapable", ...onPath("path_create_directory", "../new")],
  ["rofs", ...onPath("path_unlink_file", "in/secret.txt")],
  ["rofs", ...onPath("path_remove_directory", "in")],
  ["rofs", ...onPath("path_remove_directory", "tmp")],
  ["inval", ...onPath("path_remove_directory", ".")],
  ["noent", ...onPath("path_unlink_file", "tmp/nothing")],
  ["rofs", ...onPath("path_filestat_set_times", "in/secret.txt", [0], [0n, 0n, 4])],
  ["notcapable", ...onPath("path_filestat_get", "../x", [0], [result])],
  ["fault", ...onPath("path_filestat_get", "tmp", [0], [page - 63])],
  ["rofs", ...rename("in/secret.txt", "tmp/mine")],
  ["rofs", ...rename("tmp", "in/tmp")],
  ["notcapable", ...rename("../x", "tmp/x")],
  ["inval", ...onPath("path_readlink", "in/secret.txt", [], [4096, 64, result])],
  ["notsup", "path_symlink", [path, 1, 3, path, 1]],
  ["notsup", "path_link", [3, 0, path, 1, 3, path, 1]],
]

// Catches a call that reaches outside the program's memory or files, trusts a number, or fails in an uncontrolled way.
it.each(refused)("returns %s to %s, number %#", (expected, call, args, data) => {
  const tried = world()
  expect(getName(tried.call(call, args, data))).toBe(expected)
  expect(tried.written).toBe(0)
  expect([...tried.root.entries.keys()]).toEqual(["tmp", "in"])
  expect([...tried.tmp.entries.keys()]).toEqual([])
})

it("covers more than a hundred calls", () => expect(refused.length).toBeGreaterThan(100))

const write = (fd: number, offset: bigint): Case => [
  "fd_pwrite",
  [fd, vectors, 1, offset, result],
  memoryWith("").data,
]

// Catches one far-away byte that makes the host store everything before it, and a size that is only claimed to be large.
it.each([
  ["fbig", write(4, 2n ** 40n)],
  ["fbig", write(4, -1n)],
  ["fbig", write(4, 1_000_000n - 15n)],
  ["fbig", ["fd_filestat_set_size", [4, 1_000_001n]]],
  ["fbig", ["fd_filestat_set_size", [4, -1n]]],
  ["fbig", ["fd_allocate", [4, max, max]]],
  ["fbig", ["fd_allocate", [4, 0n, 2n ** 33n]]],
] as [string, Case][])(
  "returns %s to a call beyond the file size limit, number %#",
  (expected, [call, args, data]) => {
    const tried = world()
    expect(tried.call(...open("tmp/large", create, reading | writing))).toBe(errno.success)
    expect(getName(tried.call(call, args, data))).toBe(expected)
    expect(tried.tmp.get("large")).toMatchObject({ size: 0 })
  },
)

// Catches deleted or truncated files whose memory is never freed or never counted as free.
it("counts the memory of all files together, and frees what is released", () => {
  const tried = world()
  const resize = (fd: number, size: bigint) => getName(tried.call("fd_filestat_set_size", [fd, size]))
  for (const name of ["a", "b"]) tried.call(...open(`tmp/${name}`, create, reading | writing))
  expect([resize(4, 600_000n), resize(5, 600_000n)]).toEqual(["success", "nospc"])
  expect(tried.call(...onPath("path_unlink_file", "tmp/a"))).toBe(errno.success)
  expect(resize(5, 600_000n)).toBe("nospc")
  expect([getName(tried.call("fd_close", [4])), resize(5, 600_000n)]).toEqual(["success", "success"])
  expect([resize(5, 0n), resize(5, 1_000_000n)]).toEqual(["success", "success"])
})

// Catches unlimited entries, open files or directory levels, whose memory isn't counted.
it("limits entries, open files and directory levels", () => {
  const tried = world()
  const made = Array.from({ length: 30 }, (_, n) => getName(tried.call(...open(`tmp/${n}`, create, writing))))
  expect(made.filter((said) => said === "success")).toHaveLength(19)
  expect(made.at(-1)).toBe("nospc")
  const opened = Array.from({ length: 300 }, () => getName(tried.call(...open("in/secret.txt", 0, reading))))
  expect(opened.at(-1)).toBe("mfile")
  const deep = new MemoryDirectory(new FileQuota({ bytes: 0, entries: 1000 }))
  const dig = (directory: MemoryDirectory): void => dig(directory.makeDirectory("d"))
  expect(() => dig(deep)).toThrow("nametoolong")
})

// Catches a directory moved into itself, in which any walk would never end.
it("refuses to move a directory into itself", () => {
  const tried = world()
  for (const name of ["tmp/a", "tmp/a/b"]) tried.call(...onPath("path_create_directory", name))
  expect(getName(tried.call(...rename("tmp/a", "tmp/a/b/c")))).toBe("inval")
  expect(getName(tried.call(...rename("tmp/a", "tmp/a/b")))).toBe("inval")
  expect(getName(tried.call(...rename("tmp/a", "tmp/c")))).toBe("success")
})

// Catches a read from an invalid position, and an endless listing.
it.each([0n, 2n, max, 2n ** 63n])(
  "lists a directory from position %s within the program's memory",
  (cookie) => {
    const tried = world()
    expect(tried.call("fd_readdir", [3, 4096, 8192, cookie, result])).toBe(errno.success)
    expect(tried.call("fd_readdir", [3, 4096, 5, cookie, result])).toBe(errno.success)
  },
)

it("exits with the program's exit code", () => {
  expect(() => world().call("proc_exit", [-1])).toThrow(ProgramExit)
})
