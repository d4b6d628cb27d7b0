import type { z } from "zod"
import { createLifeWatch } from "./child-life.ts"
import { unwanted, type ChildOptions, type ExitReason, type SpawnChild } from "./child.ts"

export interface OwnedChildOptions<Reply> extends ChildOptions {
  /** All that it may say: anything else ends it. */
  replies: z.ZodType<Reply>
  onReply(reply: Reply): void
  /** Called once, with why it ended. */
  onExit(reason: ExitReason): void
  /** The longest that it may say nothing about its work, in seconds: endlessly unless given. */
  longestSilence?: () => number
}

/** A child and all that its one owner does with it. It is gone when disposing of it settles. */
export interface OwnedChild extends AsyncDisposable {
  /** Neither ended nor told to. */
  readonly isAlive: boolean
  send(message: unknown): void
  /** It has work: it is ended as frozen when it stops beating. What is returned says that the work is done. */
  begin(): () => void
  /** Ends it at once, for this reason. */
  kill(why?: string): void
}

/** Starts a child, hears what it says, and looks after it while it has work. */
export function startChild<Reply>(
  spawn: SpawnChild,
  { replies, onReply, onExit, longestSilence, ...options }: OwnedChildOptions<Reply>,
): OwnedChild {
  const child = spawn(options)
  const life = createLifeWatch(child, longestSilence)
  let isAlive = true
  child.onMessage(replies, (reply) => {
    life.heard()
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
