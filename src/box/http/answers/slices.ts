/** Work that takes turns with requests. */
export interface Slices {
  /** Jobs that aren't done yet. */
  readonly waiting: number
  /** Runs a job after those before it: at once if it is short, otherwise in slices. It may be interrupted at each `yield`. */
  add(job: Iterator<void, void>): void
}

/** The longest that jobs keep requests waiting at a time. */
const usualSliceMs = 5

export function createSlices(sliceMs: number = usualSliceMs): Slices {
  const jobs: Iterator<void, void>[] = []
  let isWorking = false

  function work(): void {
    const until = performance.now() + sliceMs
    isWorking = true
    try {
      for (let job; (job = jobs[0]);) {
        const { done } = step(job)
        if (done === true || performance.now() < until) continue
        setImmediate(work)
        return
      }
      isWorking = false
    } catch (error) {
      setImmediate(work) // the others go on
      throw error
    }
  }

  function step(job: Iterator<void, void>): IteratorResult<void, void> {
    let done: boolean | undefined = true
    try {
      const result = job.next()
      done = result.done
      return result
    } finally {
      if (done === true) jobs.shift()
    }
  }

  return {
    get waiting() {
      return jobs.length
    },
    add(job) {
      jobs.push(job)
      if (!isWorking) work()
    },
  }
}
