export interface PooledProcess extends AsyncDisposable {
  /** Whether the process is alive and can accept more work. */
  readonly isUsable: boolean
  kill(): void
}

/** Processes that handle one task after another: started when needed, replaced when used up, ended when idle. */
export interface ProcessPool<Process> extends AsyncDisposable {
  /** Returns a process for exclusive use: the last used idle one, or a new one. */
  take(): Process
  /** Marks the work as done. The process becomes idle if it is usable; otherwise it ends. */
  release(process: Process): void
}

export interface ProcessPoolOptions<Process> {
  start(): Process
  /** Maximum number of idle processes. */
  most: number
  /** Idle time after which a process ends, in ms. */
  idleMs: number
  /** Whether a new process is started ahead of the next work when one ended with its work. */
  startsAhead?: boolean
}

export function createProcessPool<Process extends PooledProcess>(
  options: ProcessPoolOptions<Process>,
): ProcessPool<Process> {
  const { start, most, idleMs, startsAhead = false } = options
  const running = new Set<Process>()
  /** Idle processes, each with the timer that ends it. */
  const idle = new Map<Process, NodeJS.Timeout>()
  let closed = false

  function leaveIdle(process: Process): void {
    clearTimeout(idle.get(process))
    idle.delete(process)
  }

  function wait(process: Process): void {
    const end = () => {
      idle.delete(process)
      process.kill()
    }
    idle.set(process, setTimeout(end, idleMs).unref())
  }

  function use(process: Process): Process {
    running.add(process)
    return process
  }

  return {
    take() {
      for (const process of [...idle.keys()].toReversed()) {
        leaveIdle(process)
        if (process.isUsable) return use(process)
        process.kill()
      }
      return use(start())
    },
    release(process) {
      running.delete(process)
      const isReusable = process.isUsable && idle.size < most
      if (!isReusable) process.kill()
      if (closed) return
      if (isReusable) wait(process)
      else if (startsAhead && ![...idle.keys()].some(({ isUsable }) => isUsable)) wait(start())
    },
    async [Symbol.asyncDispose]() {
      closed = true
      const all = [...running, ...idle.keys()]
      for (const process of all) leaveIdle(process)
      await Promise.all(all.map((process) => process[Symbol.asyncDispose]()))
    },
  }
}
