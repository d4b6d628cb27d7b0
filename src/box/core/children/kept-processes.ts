export interface KeptProcess extends AsyncDisposable {
  /** Whether it is alive and may take other work. */
  readonly isUsable: boolean
  kill(): void
}

/** Processes that take one piece of work after another: started when needed, replaced when used up, ended when idle. */
export interface KeptProcesses<Process> extends AsyncDisposable {
  /** A process of one's own: one that waits, the last used one first, or a new one. */
  take(): Process
  /** Its work is done; it waits for other work if it is usable, and else ends. */
  giveBack(process: Process): void
}

export interface KeptOptions<Process> {
  start(): Process
  /** That wait at the same time. */
  most: number
  /** One that has had nothing to do for so long ends, in ms. */
  idleMs: number
  /** Whether one is started for the next work, when one ended with its own. */
  startsAhead?: boolean
}

export function keepProcesses<Process extends KeptProcess>(
  options: KeptOptions<Process>,
): KeptProcesses<Process> {
  const { start, most, idleMs, startsAhead = false } = options
  const running = new Set<Process>()
  /** Those that wait, with what ends them. */
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
    giveBack(process) {
      running.delete(process)
      const isKept = process.isUsable && idle.size < most
      if (!isKept) process.kill()
      if (closed) return
      if (isKept) wait(process)
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
