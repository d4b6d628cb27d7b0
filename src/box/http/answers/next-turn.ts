let turns: Promise<void> = Promise.resolve()

/**
 * Lets one incrementally written answer continue per turn of the event loop. The system accepts megabytes at once, so hundreds of answers
 * would otherwise block all other work.
 */
export function nextTurn(): Promise<void> {
  turns = turns.then(() => new Promise((resolve) => setImmediate(resolve)))
  return turns
}
