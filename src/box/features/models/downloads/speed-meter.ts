const windowMs = 8_000
const sampleMs = 500

/** Measures the download speed over the last few seconds. */
export function createSpeedMeter(now: () => number = () => performance.now()) {
  let samples: { at: number; bytes: number }[] = []
  return {
    /** `bytes`: total number of bytes that have arrived. */
    add(bytes: number): void {
      const at = now()
      const last = samples.at(-1)
      if (last && at - last.at < sampleMs) return
      samples = [...samples.filter((sample) => at - sample.at <= windowMs), { at, bytes }]
    },
    reset(): void {
      samples = []
    },
    bytesPerSecond(): number | null {
      const [first, last] = [samples[0], samples.at(-1)]
      if (!first || !last || last.at === first.at) return null
      return Math.round(((last.bytes - first.bytes) * 1_000) / (last.at - first.at))
    },
  }
}
