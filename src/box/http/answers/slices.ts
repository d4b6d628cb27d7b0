/** Background work that alternates with requests. */
export interface Slices {
  /** Number of unfinished jobs. */
  readonly waiting: number
  /** Runs a job after the previous ones: at once if it is short, otherwise in slices. It may be interrupted at each `yield`. */
  add(job: Iterator<void, void>): void
}

/** Maximum time that jobs delay requests at once, in ms. */
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
      setImmediate(work) // The other jobs continue.
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
