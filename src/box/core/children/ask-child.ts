import type { z } from "zod"
import { eitherSignal } from "../waiting/abort.ts"
import type { ChildOptions, SpawnChild } from "./child.ts"
import { startChild, type OwnedChild } from "./start-child.ts"

/** Maximum length of a failing child's output, in characters. */
const maxOutputLength = 1_000

export interface OneShotOptions extends ChildOptions {
  /** The message to send; without it, the arguments are sufficient. */
  question?: unknown
}

/** Child processes that are started for one answer each. */
export interface OneShotChildren extends AsyncDisposable {
  /** Starts a child and returns its first message. Throws the signal's reason. The child is gone when the promise settles. */
  ask<Answer>(options: OneShotOptions, shape: z.ZodType<Answer>, signal?: AbortSignal): Promise<Answer>
}

export function createOneShotChildren(spawn: SpawnChild): OneShotChildren {
  const closing = new AbortController()
  const running = new Set<OwnedChild>()
  return {
    async ask<Answer>(options: OneShotOptions, shape: z.ZodType<Answer>, caller?: AbortSignal) {
      const signal = eitherSignal(caller, closing.signal)
      signal.throwIfAborted()
      let output = ""
      const onOutput = (text: string) => {
        output = (output + text).slice(0, maxOutputLength)
        options.onOutput?.(text)
      }
      const { promise, resolve, reject } = Promise.withResolvers<Answer>()
      const child = startChild(spawn, {
        ...options,
        onOutput,
        replies: shape,
        onReply: resolve,
        onExit: (reason) =>
          reject(new Error(`The process ${options.entry} ended early: ${String(reason)} ${output}`)),
      })
      running.add(child)
      const rested = child.begin()
      const stop = () => child.kill()
      signal.addEventListener("abort", stop, { once: true })
      if (options.question !== undefined) child.send(options.question)
      try {
        return await promise
      } catch (error) {
        signal.throwIfAborted()
        throw error
      } finally {
        signal.removeEventListener("abort", stop)
        rested()
        await child[Symbol.asyncDispose]()
        running.delete(child)
      }
    },
    async [Symbol.asyncDispose]() {
      closing.abort(new Error("The box is shutting down."))
      await Promise.all([...running].map((child) => child[Symbol.asyncDispose]()))
    },
  }
}
