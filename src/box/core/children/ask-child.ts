import type { z } from "zod"
import { eitherSignal } from "../waiting/abort.ts"
import { createLifeWatch } from "./child-life.ts"
import type { Child, ChildOptions, SpawnChild } from "./child.ts"

/** Of what a child that fails prints, in characters. */
const longestOutput = 1_000

/** Children that are started for one answer each. */
export interface AskedChildren extends AsyncDisposable {
  /** Starts one and answers the first thing that it says. Throws the signal's reason; the child is gone when it settles. */
  ask<Answer>(options: ChildOptions, shape: z.ZodType<Answer>, signal?: AbortSignal): Promise<Answer>
}

export function createAskedChildren(spawn: SpawnChild): AskedChildren {
  const closing = new AbortController()
  const running = new Set<Child>()
  return {
    async ask<Answer>(options: ChildOptions, shape: z.ZodType<Answer>, caller?: AbortSignal) {
      const signal = eitherSignal(caller, closing.signal)
      signal.throwIfAborted()
      let said = ""
      const onOutput = (text: string) => void (said = (said + text).slice(0, longestOutput))
      const child = spawn({ ...options, onOutput })
      running.add(child)
      const { promise, resolve, reject } = Promise.withResolvers<Answer>()
      const stop = () => child.kill()
      const rested = createLifeWatch(child).begin()
      signal.addEventListener("abort", stop, { once: true })
      child.onMessage(shape, resolve)
      child.onExit((reason) =>
        reject(new Error(`The process ${options.entry} ended early: ${String(reason)} ${said}`)),
      )
      try {
        return await promise
      } catch (error) {
        signal.throwIfAborted()
        throw error
      } finally {
        signal.removeEventListener("abort", stop)
        rested()
        child.kill()
        await child.exited
        running.delete(child)
      }
    },
    async [Symbol.asyncDispose]() {
      closing.abort(new Error("The box is shutting down."))
      await Promise.all([...running].map(({ exited }) => exited))
    },
  }
}
