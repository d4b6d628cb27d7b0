import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { permissionArguments, within } from "../../core/children/walls/permissions.ts"
import { createLifeWatch, type LifeWatch } from "../../core/children/child-life.ts"
import {
  isFromOutside,
  malformed,
  unwanted,
  type Child,
  type ExitReason,
  type SpawnChild,
} from "../../core/children/child.ts"
import { makeTemporaryDirectory } from "../../core/files/temporary-files.ts"
import { lendDocument, type Lent } from "./lent-document.ts"
import { reason } from "../../../shared/contract/file-reasons.ts"
import { failure, ParseFailure, type ParserInput } from "../parser.ts"
import { parserReply } from "./parser-reply.ts"
import { batchWindow } from "./parser-protocol.ts"
import type { ParserReply, ParserRequest } from "./parser-protocol.ts"

export interface ProcessLimits {
  /** Resident memory, in bytes, above which a parser process ends itself. */
  memoryBytes: number
  /** JavaScript heap of a parser process, in MB. */
  heapMegabytes: number
  /** Directory of language files, for a process that reads with OCR. */
  ocrLanguages?: string
}

type Arrival = { reply: ParserReply } | { error: unknown }

/** One running parser process: its mailbox, and its end. */
export class ParserConnection implements AsyncDisposable {
  readonly #child: Child
  readonly #life: LifeWatch
  readonly #memoryBytes: number
  /** For the document that is lent to it. */
  readonly #privateDirectory: string
  readonly #mailbox: ParserReply[] = []
  #gone: ParseFailure | undefined
  #killed = false
  #lent = 0
  #onArrival: ((arrival: Arrival) => void) | undefined

  constructor(spawn: SpawnChild, { memoryBytes, heapMegabytes, ocrLanguages }: ProcessLimits) {
    this.#memoryBytes = memoryBytes
    this.#privateDirectory = makeTemporaryDirectory("casella-parser-")
    this.#child = spawn({
      entry: "parser",
      env: parserEnvironment(),
      // of files, those that are lent to it
      execArgv: [
        ...permissionArguments({
          read: [this.#privateDirectory, ...(ocrLanguages === undefined ? [] : [ocrLanguages])].map(within),
          threads: true,
        }),
        `--max-old-space-size=${heapMegabytes}`,
        "--max-semi-space-size=8",
      ],
      args: [String(memoryBytes), ...(ocrLanguages === undefined ? [] : ["ocr"])],
    })
    this.#life = createLifeWatch(this.#child)
    this.#child.onMessage(parserReply, (reply) => this.#arrive(reply))
    this.#child.onExit((reason) => this.#exit(reason))
  }

  get isAlive(): boolean {
    return this.#gone === undefined && !this.#killed
  }

  /** False once somebody cleared away the directory in which documents are lent to it. */
  get canBorrow(): boolean {
    return existsSync(this.#privateDirectory)
  }

  /** Lets it read a document until what is returned is disposed of. Throws `ParseFailure` when that is no file. */
  async lend(input: ParserInput): Promise<Lent> {
    try {
      return await lendDocument(input, join(this.#privateDirectory, `document-${++this.#lent}`))
    } catch (error) {
      throw this.#gone ?? error // its directory goes with the process
    }
  }

  send(request: ParserRequest): void {
    this.#child.send(request)
  }

  /** The next reply. Throws `ParseFailure` when none comes within the limit or the process is gone. */
  receive(limitMs: number, signal: AbortSignal): Promise<ParserReply> {
    const rested = this.#life.begin()
    return new Promise((resolve, reject) => {
      const settle = (arrival: Arrival): void => {
        clearTimeout(timer)
        rested()
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

  kill(why = unwanted): void {
    this.#killed = true
    this.#child.kill(why)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill()
    await this.#child.exited
  }

  #arrive(reply: ParserReply): void {
    if (this.#onArrival) this.#onArrival({ reply })
    else if (reply.type === "recognising") return
    else if (this.#mailbox.push(reply) > batchWindow + 1) this.kill(malformed) // it doesn't keep to the protocol
  }

  #exit(why: ExitReason): void {
    rmSync(this.#privateDirectory, { recursive: true, force: true })
    this.#gone ??= this.#explain(why)
    this.#onArrival?.({ error: this.#gone })
  }

  /** Its watchdog ends it with signals of its own, V8 aborts when its heap is full; all else may be no fault of the file's. */
  #explain(why: ExitReason): ParseFailure {
    if (why === "SIGVTALRM") return tookTooLong()
    if (why === "SIGUSR2" || why === "SIGABRT" || why === 134) {
      return failure("memory_exceeded", { count: Math.round(this.#memoryBytes / 2 ** 20) })
    }
    if (why === malformed) return failure("parser_crashed")
    return new ParseFailure(reason(isFromOutside(why) ? "parser_ended" : "parser_crashed"), "failed", "died")
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
