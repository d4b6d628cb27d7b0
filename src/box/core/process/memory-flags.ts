/**
 * glibc gives threads separate heaps, up to eight per core, and keeps freed memory in each; it also keeps increasingly large blocks. With
 * LanceDB's threads this was 150 MB.
 */
const allocator = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: String(2 ** 20) }
/**
 * Otherwise new objects alone use up to 100 MB while files are indexed. The size is fixed from the start: growing to it with repeated
 * garbage collections makes a start a fifteenth longer and saves only 0.6 MB.
 */
const youngGeneration = ["--max-semi-space-size=8", "--min-semi-space-size=8"]
/** JavaScript's heap grows by three tenths before garbage collection, instead of to four times the memory in use. */
const growth = "--heap-growing-percent=30"

/**
 * Configures this process to keep little unused memory. Some settings are read only when a process starts, so it restarts the program in
 * the same process. It does this only once, and not if the parent process has configured the allocator, nor on Windows.
 */
export function reexecWithMemoryFlags(): void {
  if (process.env["MALLOC_ARENA_MAX"] !== undefined) return
  const args = [process.execPath, ...youngGeneration, ...process.execArgv, ...process.argv.slice(1)]
  process.execve?.(process.execPath, args, { ...process.env, ...allocator })
}

/** The optimisers use 8 MB of memory after they have run, and code that runs only during the start isn't worth optimising. */
const optimizers = ["opt", "maglev"]

/**
 * Node's built-in modules that a start needs. V8 accepts their precompiled code only while it has the settings that Node was built with.
 * After a change it compiles them again, which takes a fifteenth of a start.
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
 * Until `optimiseForRunning`, JavaScript runs unoptimised: long loops take up to ten times as long. Functions are compiled with their file and not at
 * their first call, because Node caches for the next start only the code that was compiled with the file (`compile-cache.ts`): this saves a
 * fifteenth of a start. Code that isn't called later is discarded in the first quiet minute (`spare-memory.ts`).
 */
export function optimiseForStart(): void {
  for (const name of nodeModules) process.getBuiltinModule(name)
  for (const name of optimizers) setFlag(`--no-${name}`)
  setFlag("--no-lazy")
}

/** Call it when everything is loaded: until then, the heap grows with data that stays, and garbage collection finds nothing. */
export function optimiseForRunning(): void {
  setFlag(growth)
  setFlag("--lazy")
  for (const name of optimizers) setFlag(`--${name}`)
}
