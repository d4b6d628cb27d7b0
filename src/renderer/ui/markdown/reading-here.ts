/** What one task of the page may read, in steps (`readingSteps`): pieces that are cheap may still be many. */
const mostSteps = 800_000

let spent = 0

/** Whether the task that runs may read another cheap piece; what it may not is for the worker. */
export function mayReadHere(steps: number): boolean {
  if (spent + steps > mostSteps) return false
  if (spent === 0) setTimeout(() => (spent = 0))
  spent += Math.max(1, steps)
  return true
}
