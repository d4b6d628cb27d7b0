import { existsSync } from "node:fs"
import { join } from "node:path"
import { everythingIn, permissionArguments } from "../../core/children/walls/permissions.ts"
import { isFromOutside, malformed, type ExitReason, type SpawnChild } from "../../core/children/child.ts"
import { startChild, type OwnedChild } from "../../core/children/start-child.ts"
import { withTimeout } from "../../core/waiting/time-limit.ts"
import { makeTemporaryDirectory, removeTemporaryDirectory } from "../../core/files/temporary-files.ts"
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
  /** Documents after which a parser process is replaced. */
  documentsPerProcess: number
}

/** One running parser process: its mailbox, and its end. */
export class ParserConnection implements AsyncDisposable {
  readonly #child: OwnedChild
  readonly #memoryBytes: number
  readonly #mostDocuments: number
  /** For the document that is lent to it. */
  readonly #privateDirectory: string
  readonly #mailbox: ParserReply[] = []
  #gone: ParseFailure | undefined
  #lent = 0
  #next: PromiseWithResolvers<ParserReply> | undefined

  constructor(spawn: SpawnChild, limits: ProcessLimits) {
    const { memoryBytes, heapMegabytes, ocrLanguages, documentsPerProcess } = limits
    this.#memoryBytes = memoryBytes
    this.#mostDocuments = documentsPerProcess
    this.#privateDirectory = makeTemporaryDirectory("casella-parser-")
    this.#child = startChild(spawn, {
      entry: "parser",
      env: parserEnvironment(),
      // of files, those that are lent to it
      execArgv: [
        ...permissionArguments({
          read: [this.#privateDirectory, ...(ocrLanguages === undefined ? [] : [ocrLanguages])].map(
            everythingIn,
          ),
          threads: true,
        }),
        `--max-old-space-size=${heapMegabytes}`,
        "--max-semi-space-size=8",
      ],
      args: [String(memoryBytes), ...(ocrLanguages === undefined ? [] : ["ocr"])],
      replies: parserReply,
      onReply: (reply) => this.#arrive(reply),
      onExit: (reason) => this.#exit(reason),
    })
  }

  /** False once it ended, is used up, or somebody cleared away the directory in which documents are lent to it. */
  get isUsable(): boolean {
    return this.#child.isAlive && this.#lent < this.#mostDocuments && existsSync(this.#privateDirectory)
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
  async receive(limitMs: number, signal: AbortSignal): Promise<ParserReply> {
    signal.throwIfAborted()
    const waiting = this.#mailbox.shift()
    if (waiting) return waiting
    if (this.#gone) throw this.#gone
    this.#next = Promise.withResolvers()
    const rested = this.#child.begin()
    try {
      return await withTimeout(Math.max(0, limitMs), this.#next.promise, tookTooLong, signal)
    } finally {
      rested()
      this.#next = undefined
    }
  }

  kill(): void {
    this.#child.kill()
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#child[Symbol.asyncDispose]()
  }

  #arrive(reply: ParserReply): void {
    const next = this.#next
    this.#next = undefined // what comes before its reader wakes is for later
    if (next) next.resolve(reply)
    else if (reply.type === "recognising") return
    else if (this.#mailbox.push(reply) > batchWindow + 1) this.#child.kill(malformed) // it doesn't keep to the protocol
  }

  #exit(why: ExitReason): void {
    removeTemporaryDirectory(this.#privateDirectory) // a document may just be being lent to it
    this.#gone ??= this.#explain(why)
    this.#next?.reject(this.#gone)
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
