import { existsSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import { AppError } from "../../../shared/contract/errors.ts"
import { reason } from "../../../shared/contract/file-reasons.ts"
import { BlockKind, FileReason } from "../../../shared/contract/files.ts"
import { Location, PageArea } from "../../../shared/contract/location.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import {
  everythingIn,
  permissionArguments,
  isFromOutside,
  malformed,
  type ExitReason,
  type SpawnChild,
} from "../../core/children/child.ts"
import { currentCause } from "../../core/async-context.ts"
import { createProcessPool, startChild, type OwnedChild } from "../../core/children/start-child.ts"
import { makeTemporaryDirectory, removeTemporaryDirectory } from "../../core/files/temporary-files.ts"
import { withTimeout } from "../../core/waiting/abort-and-timeout.ts"
import { createSemaphore } from "../../core/waiting/locks.ts"
import { lendDocument, type Lent } from "../document/opened-document.ts"
import {
  isPlausibleDate,
  maxBlockCharacters,
  maxPeople,
  maxPersonAddress,
  maxPersonName,
  maxPictureKey,
  failure,
  ParseFailure,
  type ParserInput,
} from "../parser.ts"
import {
  batchBlocks,
  batchCharacters,
  type ParserReply,
  batchWindow,
  type ParserRequest,
} from "./parser-protocol.ts"

/** Maximum numbers per batch, and of scans per document. More than that is never read. */
const most = {
  notes: 10_000,
  scans: 1_000_000,
  pictures: 1_000,
  place: 10_000,
  inside: 100,
  pages: 5_000,
  pictureBytes: 8 << 20,
  side: 2_048,
}

const pictures = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"]
const notes = z.array(FileReason).max(most.notes)
const block = z.object({
  kind: BlockKind,
  text: z.string().max(maxBlockCharacters),
  location: Location,
  area: PageArea.optional(),
})
const people = z
  .array(z.object({ name: z.string().max(maxPersonName), address: z.string().max(maxPersonAddress) }))
  .max(maxPeople)
const scan = z.object({ page: z.int(), inside: z.array(z.int()).max(most.inside).optional() })
const picture = z.object({
  key: z.string().max(maxPictureKey),
  inside: z.array(z.int()).max(most.inside).optional(),
  location: Location.refine((location) => JSON.stringify(location).length <= most.place),
  area: PageArea.optional(),
  isHidden: z.literal(true).optional(),
})
const readers = z
  .string()
  .max(2_000)
  .regex(/^[a-z0-9. -]*$/)
  .optional()
const size = z.object({ width: z.number().positive(), height: z.number().positive() })

/** Schema of a parser's replies. They are validated because a document may have taken control of the parser. */
export const parserReply = z.discriminatedUnion("type", [
  z.object({
    notes,
    type: z.literal("batch"),
    blocks: z
      .array(block)
      .max(batchBlocks)
      .refine(
        (all) => all.reduce((sum, { text }) => sum + text.length, 0) <= batchCharacters + maxBlockCharacters,
      ),
    done: z.boolean(),
    scans: z
      .object({
        scans: z.array(scan).max(most.scans),
        pageCount: z.int(),
        pictures: z.array(picture).max(most.pictures).optional(),
      })
      .optional(),
    properties: z.object({ dateMs: z.number().refine(isPlausibleDate).nullable(), people }).optional(),
    readers,
  }),
  z.object({ notes, type: z.literal("recognising") }),
  z.object({ notes, type: z.literal("page-sizes"), sizes: z.array(size).max(most.pages) }),
  z.object({
    notes,
    type: z.literal("page-picture"),
    // Types that browsers display and can't execute.
    picture: z.object({ mediaType: z.enum(pictures), bytes: z.instanceof(Uint8Array) }),
  }),
  z.object({
    notes,
    type: z.literal("prepared-picture"),
    picture: z.object({
      mediaType: z.enum(["image/png", "image/jpeg"]),
      bytes: z.instanceof(Uint8Array).refine(({ byteLength }) => byteLength <= most.pictureBytes),
      width: z.int().positive().max(most.side),
      height: z.int().positive().max(most.side),
    }),
  }),
  z.object({ notes, type: z.literal("ocr-needed") }),
  z.object({
    notes,
    type: z.literal("failure"),
    reason: FileReason,
    outcome: z.enum(["failed", "skipped"]),
    transientCause: z.enum(["locked", "device", "exchanged"]).optional(),
    readers,
  }),
  z.object({ notes, type: z.literal("fault"), message: z.string() }),
]) as z.ZodType<ParserReply>

interface ProcessLimits {
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
class ParserConnection implements AsyncDisposable {
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

export interface PoolLimits extends ProcessLimits {
  /** Time after which an idle parser process ends, in ms. */
  idleMs: number
}

/** Maximum documents that wait for a process, in total and of one person. */
const maxWaiting = 1000
const maxWaitingEach = 500

export interface ParserSlot extends Disposable {
  /** Returns the process for the caller's document. Starts one if there is none. */
  connect(): ParserConnection
}

export interface ParserProcesses extends AsyncDisposable {
  /**
   * Returns a slot for a document of this user, by default the one for whom it is read, until it is disposed of. Throws the signal's reason.
   */
  acquire(signal: AbortSignal, person?: string): Promise<ParserSlot>
}

/**
 * Runs up to `slots` parser processes, each with one document at a time. Users take turns.
 *
 * @param spare additional processes, each for a user none of whose documents is being read
 */
export function createParserProcesses(
  spawn: SpawnChild,
  limits: PoolLimits,
  slots: number,
  spare = 0,
): ParserProcesses {
  const semaphore = createSemaphore({
    isFair: true,
    slots: () => slots,
    spare,
    maxWaiting,
    maxWaitingEach,
    tooMany: () => new AppError("unavailable", sentence("files.too_many_waiting")),
  })
  const kept = createProcessPool({
    start: () => new ParserConnection(spawn, limits),
    max: slots + spare,
    idleMs: limits.idleMs,
  })
  return {
    async acquire(signal, person = currentCause().userId ?? "") {
      const slot = await semaphore.acquire(signal, person)
      let connection: ParserConnection | undefined
      return {
        connect: () => (connection ??= kept.take()),
        [Symbol.dispose]() {
          if (connection) kept.release(connection)
          slot[Symbol.dispose]()
        },
      }
    },
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  }
}
