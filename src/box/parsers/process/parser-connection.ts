import { existsSync } from "node:fs"
import { join } from "node:path"
import {
  everythingIn,
  permissionArguments,
  isFromOutside,
  malformed,
  type ExitReason,
  type SpawnChild,
} from "../../core/children/child.ts"
import { startChild, type OwnedChild } from "../../core/children/start-child.ts"
import { withTimeout } from "../../core/waiting/abort-and-timeout.ts"
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

/** One running parser process: its messages and its end. */
export class ParserConnection implements AsyncDisposable {
  readonly #child: OwnedChild
  readonly #memoryBytes: number
  readonly #maxDocuments: number
  /** Holds the document that is lent to the process. */
  readonly #privateDirectory: string
  readonly #mailbox: ParserReply[] = []
  #gone: ParseFailure | undefined
  #lent = 0
  #next: PromiseWithResolvers<ParserReply> | undefined

  constructor(spawn: SpawnChild, limits: ProcessLimits) {
    const { memoryBytes, heapMegabytes, ocrLanguages, documentsPerProcess } = limits
    this.#memoryBytes = memoryBytes
    this.#maxDocuments = documentsPerProcess
    this.#privateDirectory = makeTemporaryDirectory("casella-parser-")
    this.#child = startChild(spawn, {
      entry: "parser",
      env: parserEnvironment(),
      // The process may read only files that are lent to it.
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

  /** False after the process has ended, has read its maximum of documents, or has lost the directory in which documents are lent to it. */
  get isUsable(): boolean {
    return this.#child.isAlive && this.#lent < this.#maxDocuments && existsSync(this.#privateDirectory)
  }

  /** Lets the process read a document until the result is disposed of. Throws `ParseFailure` when it isn't a file. */
  async lend(input: ParserInput): Promise<Lent> {
    try {
      return await lendDocument(input, join(this.#privateDirectory, `document-${++this.#lent}`))
    } catch (error) {
      throw this.#gone ?? error // The process's directory is removed with it.
    }
  }

  send(request: ParserRequest): void {
    this.#child.send(request)
  }

  /** Returns the next reply. Throws `ParseFailure` on a timeout or when the process is gone. */
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
    this.#next = undefined // Replies that arrive before the reader continues are kept for later.
    if (next) next.resolve(reply)
    else if (reply.type === "recognising") return
    else if (this.#mailbox.push(reply) > batchWindow + 1) this.#child.kill(malformed) // The process violates the protocol.
  }

  #exit(why: ExitReason): void {
    removeTemporaryDirectory(this.#privateDirectory) // A document may be in the process of being lent.
    this.#gone ??= this.#explain(why)
    this.#next?.reject(this.#gone)
  }

  /**
   * The process's watchdog ends it with specific signals, and V8 aborts when the heap is full. Any other exit may not be caused by the
   * file.
   */
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

/** Returns a parser's whole environment. Windows can't start some things without SystemRoot. */
function parserEnvironment(): Record<string, string> {
  const systemRoot = process.env["SystemRoot"]
  return { UV_THREADPOOL_SIZE: "2", ...(systemRoot === undefined ? {} : { SystemRoot: systemRoot }) }
}
