/**
 * glibc gives threads heaps of their own, up to eight for each core, and keeps what was freed in each; it also keeps
 * ever larger blocks. LanceDB's threads came to 150 MB of that, and V8's young generation to another 100 MB.
 */
const allocator = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: String(2 ** 20) }
const youngGeneration = "--max-semi-space-size=8"

/**
 * Starts the program again, in the same process, with settings of its memory that are read only when a process starts.
 * Does nothing the second time, where the allocator was set up by whoever started it, and on Windows.
 */
export function restartLean(): void {
  if (process.env["MALLOC_ARENA_MAX"] !== undefined) return
  const args = [process.execPath, youngGeneration, ...process.execArgv, ...process.argv.slice(1)]
  process.execve?.(process.execPath, args, { ...process.env, ...allocator })
}
