import type { z } from "zod"
import { eitherSignal } from "../waiting/abort-and-timeout.ts"
import { frozen, type Child, unwanted, type ChildOptions, type ExitReason, type SpawnChild } from "./child.ts"

/** Watches a child while it has work. Without work there is no timer. */
interface LifeWatch {
  /** Marks the start of work. Call the returned function when the work is done; extra calls have no effect. */
  begin(): () => void
  /** The child reported about its work. */
  recordActivity(): void
}

const tickMs = 1_000
/** Seconds without a heartbeat (`heartbeat.ts`) after which a child is frozen. The first heartbeat arrives after the child has started. */
const maxMissed = 9
const maxMissedAtStart = 30

/**
 * Ends a child as `frozen` if it has work but sends no heartbeat, or doesn't report about its work for longer than `maxSilence`
 * seconds. Seconds in which this process couldn't listen, such as its own pauses or a sleeping computer, are excluded.
 */
export function createLifeWatch(child: Child, maxSilence = () => Infinity): LifeWatch {
  let pending = 0
  let missed = 0
  let silent = 0
  let hasBeaten = false
  let timer: NodeJS.Timeout | undefined
  child.onBeat(() => {
    hasBeaten = true
    missed = 0
  })
  child.onExit(() => clearInterval(timer))

  function tick(): void {
    const isFrozen = ++missed > (hasBeaten ? maxMissed : maxMissedAtStart)
    if (isFrozen || ++silent > maxSilence()) child.kill(frozen)
  }

  return {
    begin() {
      if (pending++ === 0) {
        missed = 0
        timer = setInterval(tick, tickMs).unref()
      }
      silent = 0
      let isDone = false
      return () => {
        if (isDone) return
        isDone = true
        if (--pending === 0) clearInterval(timer)
      }
    },
    recordActivity() {
      silent = 0
    },
  }
}

interface OwnedChildOptions<Reply> extends ChildOptions {
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
      closing.abort(new Error("Casella is shutting down."))
      await Promise.all([...running].map((child) => child[Symbol.asyncDispose]()))
    },
  }
}

export interface PooledProcess extends AsyncDisposable {
  /** Whether the process is alive and can accept more work. */
  readonly isUsable: boolean
  kill(): void
}

/** Processes that handle one task after another: started when needed, replaced when used up, ended when idle. */
export interface ProcessPool<Process> extends AsyncDisposable {
  /** Returns a process for exclusive use: the last used idle one, or a new one. */
  take(): Process
  /** Marks the work as done. The process becomes idle if it is usable; otherwise it ends. */
  release(process: Process): void
}

export interface ProcessPoolOptions<Process> {
  start(): Process
  /** Maximum number of idle processes. */
  max: number
  /** Idle time after which a process ends, in ms. */
  idleMs: number
  /** Whether a new process is started ahead of the next work when one ended with its work. */
  startsAhead?: boolean
}

export function createProcessPool<Process extends PooledProcess>(
  options: ProcessPoolOptions<Process>,
): ProcessPool<Process> {
  const { start, max, idleMs, startsAhead = false } = options
  const running = new Set<Process>()
  /** Idle processes, each with the timer that ends it. */
  const idle = new Map<Process, NodeJS.Timeout>()
  let closed = false

  function leaveIdle(process: Process): void {
    clearTimeout(idle.get(process))
    idle.delete(process)
  }

  function wait(process: Process): void {
    const end = () => {
      idle.delete(process)
      process.kill()
    }
    idle.set(process, setTimeout(end, idleMs).unref())
  }

  function use(process: Process): Process {
    running.add(process)
    return process
  }

  return {
    take() {
      for (const process of [...idle.keys()].toReversed()) {
        leaveIdle(process)
        if (process.isUsable) return use(process)
        process.kill()
      }
      return use(start())
    },
    release(process) {
      running.delete(process)
      const isReusable = process.isUsable && idle.size < max
      if (!isReusable) process.kill()
      if (closed) return
      if (isReusable) wait(process)
      else if (startsAhead && ![...idle.keys()].some(({ isUsable }) => isUsable)) wait(start())
    },
    async [Symbol.asyncDispose]() {
      closed = true
      const all = [...running, ...idle.keys()]
      for (const process of all) leaveIdle(process)
      await Promise.all(all.map((process) => process[Symbol.asyncDispose]()))
    },
  }
}
