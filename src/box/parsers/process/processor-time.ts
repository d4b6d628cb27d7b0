/** What this process may use of its processors, in memory that the watchdog's thread sees too. */
export interface ProcessorTime {
  /** For the watchdog: one number, the processor time of this process, in ms, at which it has to end. */
  readonly end: Float64Array
  /** From now on so much, in ms, until the next call. */
  allow(ms: number): void
}

export function createProcessorTime(): ProcessorTime {
  const end = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT)).fill(Infinity)
  return {
    end,
    allow(ms) {
      const { user, system } = process.cpuUsage()
      end[0] = (user + system) / 1000 + ms
    },
  }
}
