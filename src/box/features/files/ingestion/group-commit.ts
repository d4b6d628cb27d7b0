/** Collects items that arrive during a commit and commits them together. Callers wait only if too much is waiting. */
export interface GroupCommit<T> {
  /** Settles when there is room for more, usually immediately. */
  add(item: T): Promise<void>
  /** Settles when everything added so far is committed. */
  drained(): Promise<void>
}

export interface GroupCommitOptions<T> {
  /** Must not throw: the callers that added the items are no longer waiting. */
  commit: (items: T[]) => Promise<void>
  weigh: (item: T) => number
  /** Maximum weight of one commit, and of the items waiting for the next. */
  limit(): number
}

export function createGroupCommit<T>({ commit, weigh, limit }: GroupCommitOptions<T>): GroupCommit<T> {
  const waiting: T[] = []
  let weight = 0
  let running: Promise<void> | undefined
  let room = Promise.withResolvers<void>()

  function takeGroup(): T[] {
    let sum = 0
    let count = 0
    for (const item of waiting) {
      sum += weigh(item)
      if (count > 0 && sum > limit()) break
      count++
    }
    const group = waiting.splice(0, count)
    weight = waiting.reduce((total, item) => total + weigh(item), 0)
    return group
  }

  async function run(): Promise<void> {
    await Promise.resolve() // lets other items added at the same time join the first group
    while (waiting.length > 0) {
      const group = takeGroup()
      room.resolve()
      room = Promise.withResolvers()
      await commit(group)
    }
    running = undefined
    room.resolve()
    room = Promise.withResolvers()
  }

  return {
    async add(item) {
      while (waiting.length > 0 && weight + weigh(item) > limit()) await room.promise
      waiting.push(item)
      weight += weigh(item)
      running ??= run()
    },
    async drained() {
      await running
    },
  }
}
