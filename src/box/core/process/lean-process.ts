/**
 * glibc gives threads heaps of their own, up to eight for each core, and keeps what was freed in each; it also keeps
 * ever larger blocks. LanceDB's threads came to 150 MB of that.
 */
const allocator = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: String(2 ** 20) }
/**
 * Else new objects alone take up to 100 MB while files are indexed. It has its size from the beginning: growing to it by cleaning up
 * again and again makes a start a fifteenth longer, and saves 0.6 MB.
 */
const youngGeneration = ["--max-semi-space-size=8", "--min-semi-space-size=8"]
/** JavaScript's heap grows by three tenths before it is cleaned, and not to four times what is in use. */
const growth = "--heap-growing-percent=30"

/**
 * Sets this process up to keep little memory that it doesn't use. Some settings are read only when a process starts, so
 * it starts the program again, in the same process; not the second time, nor where whoever started it has set up the
 * allocator, nor on Windows.
 */
export function becomeLean(): void {
  if (process.env["MALLOC_ARENA_MAX"] !== undefined) return
  const args = [process.execPath, ...youngGeneration, ...process.execArgv, ...process.argv.slice(1)]
  process.execve?.(process.execPath, args, { ...process.env, ...allocator })
}

/** Their programs take 8 MB of memory once they have run, and what runs only while the box starts isn't worth optimising. */
const optimizers = ["opt", "maglev"]

/**
 * Modules of Node's own that a start needs. V8 takes what they were compiled to, which Node brings, only as long as it has the
 * settings that Node was built with; afterwards it compiles them anew, which is a fifteenth of a start.
 */
const nodeModules = [
  "assert",
  "child_process",
  "cluster",
  "crypto",
  "dns",
  "dns/promises",
  "fs/promises",
  "http",
  "module",
  "os",
  "perf_hooks",
  "stream/promises",
  "timers/promises",
  "tty",
  "worker_threads",
  "zlib",
]

const setFlag = (flag: string): void => process.getBuiltinModule("node:v8").setFlagsFromString(flag)

/**
 * Until `stayLean`, JavaScript runs as it was compiled first: loops of many turns take up to ten times as long. Functions are compiled
 * with their file and not at their first call, since Node keeps for the next start only what was compiled with the file
 * (`compile-cache.ts`): a fifteenth of a start. What isn't called later goes in the first quiet minute (`spare-memory.ts`).
 */
export function startLean(): void {
  for (const name of nodeModules) process.getBuiltinModule(name)
  for (const name of optimizers) setFlag(`--no-${name}`)
  setFlag("--no-lazy")
}

/** Once everything is loaded: until then the heap grows by what stays, and cleaning it finds nothing. */
export function stayLean(): void {
  setFlag(growth)
  setFlag("--lazy")
  for (const name of optimizers) setFlag(`--${name}`)
}
