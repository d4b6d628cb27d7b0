import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Child, SpawnChild } from "../core/child.ts"
import { failure, type ParseFailure } from "./parser.ts"
import { batchWindow } from "./parser-protocol.ts"
import type { ParserReply, ParserRequest } from "./parser-protocol.ts"

export interface ProcessLimits {
  /** Resident memory, in bytes, above which a parser process ends itself. */
  memoryBytes: number
  /** JavaScript heap of a parser process, in MB. */
  heapMegabytes: number
}

type Arrival = { reply: ParserReply } | { error: unknown }

/** One running parser process: its mailbox, and its end. */
export class ParserConnection implements AsyncDisposable {
  readonly #child: Child
  readonly #memoryBytes: number
  /** For documents inside others, such as attachments. */
  readonly #scratchDirectory: string
  readonly #mailbox: ParserReply[] = []
  #gone: ParseFailure | undefined
  #killed = false
  #onArrival: ((arrival: Arrival) => void) | undefined

  constructor(spawn: SpawnChild, { memoryBytes, heapMegabytes }: ProcessLimits) {
    this.#memoryBytes = memoryBytes
    this.#scratchDirectory = mkdtempSync(join(realpathSync(tmpdir()), "casella-parser-"))
    this.#child = spawn({
      entry: "parser",
      env: parserEnvironment(),
      // it may read files and write to its own directory; it can't start processes or load native code
      execArgv: [
        "--permission",
        "--allow-fs-read=*",
        `--allow-fs-write=${this.#scratchDirectory}`,
        "--allow-worker",
        "--disable-warning=PERM0006",
        `--max-old-space-size=${heapMegabytes}`,
        "--max-semi-space-size=8",
      ],
      args: [String(memoryBytes), this.#scratchDirectory],
    })
    this.#child.onMessage((message) => this.#arrive(message as ParserReply))
    this.#child.onExit((reason) => this.#exit(reason))
  }

  get isAlive(): boolean {
    return this.#gone === undefined && !this.#killed
  }

  send(request: ParserRequest): void {
    this.#child.send(request)
  }

  /** The next reply. Throws `ParseFailure` when none comes within the limit or the process is gone. */
  receive(limitMs: number, signal: AbortSignal): Promise<ParserReply> {
    return new Promise((resolve, reject) => {
      const settle = (arrival: Arrival): void => {
        clearTimeout(timer)
        signal.removeEventListener("abort", abort)
        this.#onArrival = undefined
        if ("reply" in arrival) resolve(arrival.reply)
        else reject(arrival.error)
      }
      const abort = (): void => settle({ error: signal.reason })
      const timer = setTimeout(() => settle({ error: tookTooLong() }), Math.max(0, limitMs))
      signal.addEventListener("abort", abort, { once: true })
      this.#onArrival = settle
      const waiting = this.#mailbox.shift()
      if (signal.aborted) abort()
      else if (waiting) settle({ reply: waiting })
      else if (this.#gone) settle({ error: this.#gone })
    })
  }

  kill(): void {
    this.#killed = true
    this.#child.kill()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill()
    await this.#child.exited
  }

  #arrive(reply: ParserReply): void {
    if (this.#onArrival) this.#onArrival({ reply })
    else if (reply.type === "recognising") return
    else if (this.#mailbox.push(reply) > batchWindow + 1) this.kill() // it doesn't keep to the protocol
  }

  #exit(reason: number | string | null): void {
    rmSync(this.#scratchDirectory, { recursive: true, force: true })
    this.#gone ??= this.#explain(reason)
    this.#onArrival?.({ error: this.#gone })
  }

  /** Nobody else ends a parser with these signals but its own watchdog; V8 aborts when its heap is full. */
  #explain(reason: number | string | null): ParseFailure {
    if (reason === "SIGVTALRM") return tookTooLong()
    if (reason === "SIGKILL" || reason === "SIGABRT" || reason === 134) {
      return failure("memory_exceeded", { count: Math.round(this.#memoryBytes / 2 ** 20) })
    }
    return failure("parser_crashed")
  }
}

function tookTooLong(): ParseFailure {
  return failure("too_slow")
}

/** All a parser gets of the environment: Windows can't start some things without SystemRoot. */
function parserEnvironment(): Record<string, string> {
  const systemRoot = process.env["SystemRoot"]
  return { UV_THREADPOOL_SIZE: "2", ...(systemRoot === undefined ? {} : { SystemRoot: systemRoot }) }
}
