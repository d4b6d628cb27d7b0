/** Maximum parsing per task of the page, in steps (`readingSteps`), because there may be many cheap pieces. */
const maxSteps = 800_000

let spent = 0

/** Whether the current task may parse another cheap piece. Other pieces go to the worker. */
export function mayReadHere(steps: number): boolean {
  if (spent + steps > maxSteps) return false
  if (spent === 0) setTimeout(() => (spent = 0))
  spent += Math.max(1, steps)
  return true
}
