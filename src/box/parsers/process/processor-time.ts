/** Processor time limit of this process, in memory shared with the watchdog's thread. */
export interface ProcessorTime {
  /** For the watchdog: a single number, the processor time of this process, in ms, at which it has to end. */
  readonly end: Float64Array
  /** Allows this much time, in ms, from now until the next call. */
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
