let turns: Promise<void> = Promise.resolve()

/**
 * One answer that is written bit by bit goes on in each turn of the event loop. The system takes megabytes at once, and hundreds
 * of answers would let nobody else in until then.
 */
export function nextTurn(): Promise<void> {
  turns = turns.then(() => new Promise((resolve) => setImmediate(resolve)))
  return turns
}
