import type { z } from "zod"
import { createLifeWatch } from "./child-life.ts"
import { unwanted, type ChildOptions, type ExitReason, type SpawnChild } from "./child.ts"

export interface OwnedChildOptions<Reply> extends ChildOptions {
  /** All messages that the child may send. Any other message ends it. */
  replies: z.ZodType<Reply>
  onReply(reply: Reply): void
  /** Called once, with the reason why the child ended. */
  onExit(reason: ExitReason): void
  /** Maximum time without a message about its work, in seconds; unlimited by default. */
  maxSilence?: () => number
}

/** A child and everything that its only owner does with it. The child is gone when disposal settles. */
export interface OwnedChild extends AsyncDisposable {
  /** Whether the child has neither ended nor been ended. */
  readonly isAlive: boolean
  send(message: unknown): void
  /** Marks the start of work: the child is ended as frozen if its heartbeats stop. Call the returned function when the work is done. */
  begin(): () => void
  /** Ends the child at once, for this reason. */
  kill(why?: string): void
}

/** Starts a child, receives its messages, and watches it while it has work. */
export function startChild<Reply>(
  spawn: SpawnChild,
  { replies, onReply, onExit, maxSilence, ...options }: OwnedChildOptions<Reply>,
): OwnedChild {
  const child = spawn(options)
  const life = createLifeWatch(child, maxSilence)
  let isAlive = true
  child.onMessage(replies, (reply) => {
    life.recordActivity()
    onReply(reply)
  })
  child.onExit((reason) => {
    isAlive = false
    onExit(reason)
  })
  const kill = (why = unwanted): void => {
    isAlive = false
    child.kill(why)
  }
  return {
    get isAlive() {
      return isAlive
    },
    send: (message) => child.send(message),
    begin: () => life.begin(),
    kill,
    async [Symbol.asyncDispose]() {
      kill()
      await child.exited
    },
  }
}
