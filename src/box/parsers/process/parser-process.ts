import { reason } from "../../../shared/contract/file-reasons.ts"
import type { FileReason } from "../../../shared/contract/files.ts"
import { startWatchdog } from "../../core/children/heartbeat.ts"
import { connectToParent } from "../../core/children/parent.ts"
import { dropRights } from "../../core/children/sandbox/give-up-rights.ts"
import { detectType } from "../document/detect-type.ts"
import { documentBlocks } from "../document/document-blocks.ts"
import { PropertyCollector } from "../document/document-properties.ts"
import { openDocument } from "../document/opened-document.ts"
import { startThreadHost } from "../ocr/thread-keeper.ts"
import {
  fileFailure,
  OcrNeeded,
  type TextRecognizer,
  type TransientCause,
  ParseFailure,
  type Block,
  type OpenedInput,
  type Parser,
  type ParserInput,
  type ScannedPages,
} from "../parser.ts"
import { collectReaders } from "../readers.ts"
import {
  batchBlocks,
  batchCharacters,
  batchWindow,
  type ParserReply,
  type ParserRequest,
} from "./parser-protocol.ts"
import { createProcessorTime } from "./processor-time.ts"
import "../../core/children/without-network.ts"

/** Number of messages that a sender may send before its receiver requests more. */
class SendWindow {
  #left = 0
  #onWiden: (() => void) | undefined

  reset(size: number): void {
    this.#left = size
  }

  /** Called when the receiver requests one more. */
  widen(): void {
    this.#left++
    this.#onWiden?.()
  }

  /** Uses up one, after waiting until one is available. */
  async take(): Promise<void> {
    if (this.#left === 0) await new Promise<void>((resolve) => (this.#onWiden = resolve))
    this.#left--
  }
}

// Entry point of a parser process. Reads one document at a time, in batches that wait until the parent requests them. Its arguments are the
// resident memory limit, in bytes, above which it exits, and "ocr" if it reads images.

const parent = connectToParent<ParserRequest, ParserReply>()

const sendWindow = new SendWindow()

type ReadRequest = Extract<ParserRequest, { type: "read" }>

parent.onMessage((request) => {
  if (request.type === "read") void read(request)
  else if (request.type === "next") sendWindow.widen()
  else if (request.type === "prepare-picture") void prepare(request.bytes)
  else if (request.type === "shown-picture") void prepareShown(request.input)
  else void showPage(request)
})

const processorTime = createProcessorTime()
startWatchdog({ bytes: Number(process.argv[2]), processorTime: processorTime.end })
// Libraries report every irregularity of a damaged file there, which would all be logged.
Object.assign(console, { error: () => undefined, warn: () => undefined })

const useStartedThreads = process.argv[3] === "ocr" ? startThreadHost() : undefined
dropRights()
useStartedThreads?.()

/** Kept for further documents, because it takes a third of a second to start. */
let recognizer: TextRecognizer | undefined

async function read(request: ReadRequest): Promise<void> {
  const { input, maxCharacters, ocrLanguages, leaveScans, wantsPictures, processorMs } = request
  sendWindow.reset(batchWindow)
  processorTime.allow(processorMs)
  const notes: FileReason[] = []
  const readers = collectReaders()
  const left: Required<ScannedPages> = { scans: [], pageCount: 0, pictures: [] }
  const describeReaders = () =>
    readers.describe({
      hasScans: left.scans.length + left.pictures.length > 0,
      marksHidden: input.marksHidden === true,
      wantsPictures,
    })
  try {
    if (ocrLanguages !== null) recognizer ??= await createRecognizer(ocrLanguages, processorMs)
    const ocr = ocrLanguages === null ? undefined : recognizer
    const properties = new PropertyCollector()
    await using opened = await openDocument(input)
    const blocks = documentBlocks(opened.input, {
      parserFor: (opened) => parserFor(opened, readers.add),
      note: (fileReason) => notes.push(fileReason),
      describe: properties.add,
      wantsPictures,
      ...(ocr && { ocr }),
      ...(leaveScans && {
        leaveScans({ scans, pageCount, pictures = [] }) {
          left.scans.push(...scans)
          left.pageCount += pageCount
          left.pictures.push(...pictures)
        },
      }),
    })
    let batch: Block[] = []
    let batchSize = 0
    let total = 0
    const send = async (done: boolean): Promise<void> => {
      await sendWindow.take()
      parent.send({
        type: "batch",
        blocks: batch,
        done,
        notes: notes.splice(0),
        ...(done && { scans: left, properties: properties.stated, readers: describeReaders() }),
      })
      batch = []
      batchSize = 0
    }
    for await (const block of blocks) {
      total += block.text.length
      if (total > maxCharacters) {
        notes.push(reason("characters_left_out", { count: maxCharacters }))
        break
      }
      // An unpaired surrogate, which JSON can contain, wouldn't survive storage.
      batch.push(block.text.isWellFormed() ? block : { ...block, text: block.text.toWellFormed() })
      batchSize += block.text.length
      if (batchSize >= batchCharacters || batch.length >= batchBlocks) await send(false)
    }
    await send(true)
  } catch (error) {
    const failed = describeFailure(error)
    parent.send({ ...failed, notes, ...(failed.type === "failure" && { readers: describeReaders() }) })
  } finally {
    processorTime.allow(Infinity)
  }
}

type PageRequest = Extract<ParserRequest, { type: "page-sizes" | "page-picture" }>

async function showPage(request: PageRequest): Promise<void> {
  try {
    const { pagePicture, pageSizes } = await import("../pages/page-pictures.ts")
    await using opened = await openDocument(request.input)
    const { input } = opened
    if (request.type === "page-sizes") {
      parent.send({ type: "page-sizes", sizes: await pageSizes(input), notes: [] })
    } else {
      const picture = await pagePicture(input, request.number, request.width)
      parent.send({ type: "page-picture", picture, notes: [] })
    }
  } catch (error) {
    parent.send({ ...describeFailure(error), notes: [] })
  }
}

async function prepare(bytes: Uint8Array): Promise<void> {
  try {
    const { preparePicture } = await import("../vision/prepare-picture.ts")
    parent.send({ type: "prepared-picture", picture: preparePicture(bytes), notes: [] })
  } catch (error) {
    parent.send({ ...describeFailure(error), notes: [] })
  }
}

async function prepareShown(input: ParserInput): Promise<void> {
  try {
    const { prepareShownPicture } = await import("../vision/shown-picture.ts")
    await using opened = await openDocument(input)
    const picture = await prepareShownPicture(opened.input, (inner) => parserFor(inner, () => undefined))
    parent.send({ type: "prepared-picture", picture, notes: [] })
  } catch (error) {
    parent.send({ ...describeFailure(error), notes: [] })
  }
}

async function parserFor(input: OpenedInput, onFormat: (name: string) => void): Promise<Parser> {
  const detection = await detectType(input.file, input.name)
  if ("unsupported" in detection) throw new ParseFailure(detection.unsupported, "skipped")
  onFormat(detection.format.name)
  return detection.format.load()
}

/** Creates a Tesseract that regularly reports its progress to the parent. */
async function createRecognizer(languages: string, processorMs: number): Promise<TextRecognizer> {
  const { Tesseract } = await import("../ocr/tesseract.ts")
  return new Tesseract(languages, () => {
    processorTime.allow(processorMs)
    parent.send({ type: "recognising", notes: [] })
  })
}

type Failure =
  | { type: "ocr-needed" }
  | { type: "failure"; reason: FileReason; outcome: "failed" | "skipped"; transientCause?: TransientCause }
  | { type: "fault"; message: string }

function describeFailure(error: unknown): Failure {
  if (error instanceof OcrNeeded) return { type: "ocr-needed" }
  const known = error instanceof ParseFailure ? error : fileFailure(error)
  if (!known) {
    return { type: "fault", message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
  const { reason, outcome, transientCause } = known
  return { type: "failure", reason, outcome, ...(transientCause && { transientCause }) }
}
