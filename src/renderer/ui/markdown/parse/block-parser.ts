import { maxOverruns } from "./bounds.ts"
import type { Block, BlockTree, Unread } from "./parse-block.ts"

/** Reads pieces outside the page's thread: a worker, or a substitute in tests. It sends "ready", then answers the blocks in order. */
export interface ParserThread {
  send: (block: Block) => void
  stop: () => void
}

export type StartThread = (onMessage: (message: unknown) => void, onFailure: () => void) => ParserThread

/** The reading time and failures of a text's pieces. */
export interface TextRecord {
  /** How often a piece exceeded the time limit. */
  overruns: number
  tookMs: number
}

/** The result for a piece that wasn't read. It says nothing about the piece itself. */
export type Skipped = "skipped"

interface Job {
  block: Block
  text: TextRecord
  deliver: (result: BlockTree | Unread | Skipped) => void
}

interface Limits {
  startMs: number
  readMs: number
}

/**
 * Reads slow pieces of Markdown one after the other on a separate thread. If a piece exceeds the time limit, it is given up as too much:
 * its thread is stopped, and the next piece gets a new one. The text that has taken least time so far comes first, so that no text keeps
 * others waiting.
 */
export class BlockParser {
  #thread: ParserThread | undefined
  #ready = false
  #running: Job | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #sentAt = 0
  /** Each visible piece is here at most once. */
  readonly #waiting = new Set<Job>()
  readonly #startThread: StartThread
  readonly #limits: Limits

  constructor(startThread: StartThread, limits: Limits) {
    this.#startThread = startThread
    this.#limits = limits
  }

  /** Queues a piece for reading. The returned function withdraws it unless reading has started. */
  read(block: Block, text: TextRecord, deliver: Job["deliver"]): () => void {
    const job: Job = { block, text, deliver }
    this.#waiting.add(job)
    this.#next()
    return () => this.#waiting.delete(job)
  }

  #next(): void {
    while (!this.#running && this.#waiting.size > 0) {
      const job = [...this.#waiting].reduce((first, each) =>
        each.text.tookMs < first.text.tookMs ? each : first,
      )
      this.#waiting.delete(job)
      if (job.text.overruns >= maxOverruns) job.deliver("skipped")
      else this.#begin(job)
    }
  }

  #begin(job: Job): void {
    this.#running = job
    if (this.#ready) return this.#send(job)
    if (this.#thread) return
    this.#limit(this.#limits.startMs)
    const thread: ParserThread = this.#startThread(
      (message) => {
        if (thread === this.#thread) this.#onMessage(message)
      },
      () => {
        if (thread === this.#thread) this.#giveUp()
      },
    )
    this.#thread = thread
  }

  #send({ block }: Job): void {
    this.#limit(this.#limits.readMs)
    this.#sentAt = performance.now()
    this.#thread?.send(block)
  }

  #limit(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#giveUp(), ms)
  }

  #onMessage(message: unknown): void {
    if (message !== "ready") return this.#finish(message as BlockTree | Unread)
    this.#ready = true
    if (this.#running) this.#send(this.#running)
  }

  /** Called if the piece took too long or failed, or if there is no thread. */
  #giveUp(): void {
    const wasReading = this.#ready
    this.#thread?.stop()
    this.#thread = undefined
    this.#ready = false
    if (this.#running) this.#running.text.overruns++
    this.#finish(wasReading ? "too-much" : "skipped")
  }

  #finish(result: BlockTree | Unread | Skipped): void {
    clearTimeout(this.#timer)
    const job = this.#running
    this.#running = undefined
    if (job && result !== "skipped") job.text.tookMs += performance.now() - this.#sentAt
    job?.deliver(result)
    this.#next()
  }
}
