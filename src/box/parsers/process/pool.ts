import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"

/** Callers that may wait for a free member. */
const maxWaiting = 1000

export interface Pool<Member> {
  readonly members: readonly Member[]
  /** A member of one's own until it is released, the most recently used one first. Rejects with the signal's reason. */
  acquire(signal: AbortSignal): Promise<Member>
  release(member: Member): void
}

/** Lends out its members, one to each caller, first come first served. */
export function createPool<Member>(members: readonly Member[]): Pool<Member> {
  const free = [...members]
  const waiting = new Set<(member: Member) => void>()
  return {
    members,
    async acquire(signal) {
      signal.throwIfAborted()
      const member = free.pop()
      if (member) return member
      if (waiting.size >= maxWaiting) {
        throw new AppError("unavailable", sentence("files.too_many_waiting"))
      }
      return new Promise<Member>((resolve, reject) => {
        const take = (member: Member): void => {
          signal.removeEventListener("abort", abort)
          resolve(member)
        }
        const abort = (): void => {
          waiting.delete(take)
          reject(signal.reason as Error)
        }
        waiting.add(take)
        signal.addEventListener("abort", abort, { once: true })
      })
    },
    release(member) {
      const [next] = waiting
      if (!next) free.push(member)
      else {
        waiting.delete(next)
        next(member)
      }
    },
  }
}
