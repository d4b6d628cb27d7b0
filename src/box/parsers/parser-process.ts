import "../core/without-network.ts"
import { rmSync } from "node:fs"
import { reason } from "../../shared/contract/file-reasons.ts"
import type { FileReason } from "../../shared/contract/files.ts"
import { connectToParent } from "../core/parent.ts"
import { Credit } from "./credit.ts"
import { detectType } from "./detect-type.ts"
import { documentBlocks } from "./document-blocks.ts"
import { OcrNeeded } from "./ocr/text-recognizer.ts"
import type { TextRecognizer } from "./ocr/text-recognizer.ts"
import { obstacleOf, type Obstacle } from "./obstacle.ts"
import { openDocument } from "./opened-document.ts"
import { ParseFailure } from "./parser.ts"
import type { Block, Parser, ParserInput, ScannedPages } from "./parser.ts"
import { batchBlocks, batchCharacters, batchWindow } from "./parser-protocol.ts"
import type { ParserReply, ParserRequest } from "./parser-protocol.ts"
import { createProcessorTime } from "./processor-time.ts"
import { startWatchdog } from "./watchdog.ts"

// Entry of a parser process: reads one document at a time, in batches that wait until the parent wants them.
// Its arguments are the resident memory, in bytes, above which it ends itself, and the only directory it may write to.

const parent = connectToParent<ParserRequest, ParserReply>()

const credit = new Credit()

type ReadRequest = Extract<ParserRequest, { type: "read" }>

parent.onMessage((request) => {
  if (request.type === "read") void read(request)
  else if (request.type === "next") credit.grant()
  else void showPage(request)
})

const scratchDirectory = process.argv[3] ?? ""

const processorTime = createProcessorTime()
startWatchdog({ bytes: Number(process.argv[2]), scratchDirectory, processorTime: processorTime.end })
// libraries complain of every oddity of a damaged file there, and it would all go to the log
Object.assign(console, { error: () => undefined, warn: () => undefined })
const removeScratch = () => rmSync(scratchDirectory, { recursive: true, force: true })
process.on("exit", removeScratch)
// without the parent this process ends itself at once, so this has to be first
process.prependListener("disconnect", removeScratch)

/** Kept for the next documents: it takes a third of a second to start. */
let recognizer: TextRecognizer | undefined

async function read(request: ReadRequest): Promise<void> {
  const { input, maxCharacters, ocrLanguages, leaveScans, processorMs } = request
  credit.reset(batchWindow)
  processorTime.allow(processorMs)
  const notes: FileReason[] = []
  try {
    if (ocrLanguages !== null) recognizer ??= await createRecognizer(ocrLanguages, processorMs)
    const ocr = ocrLanguages === null ? undefined : recognizer
    const left: ScannedPages = { scans: [], pageCount: 0 }
    await using opened = await openDocument(input)
    const blocks = documentBlocks(opened.input, {
      scratchDirectory,
      parserFor,
      note: (said) => notes.push(said),
      ...(ocr && { ocr }),
      ...(leaveScans && {
        leaveScans({ scans, pageCount }) {
          left.scans.push(...scans)
          left.pageCount += pageCount
        },
      }),
    })
    let batch: Block[] = []
    let batchSize = 0
    let total = 0
    const send = async (done: boolean): Promise<void> => {
      await credit.take()
      parent.send({
        type: "batch",
        blocks: batch,
        done,
        notes: notes.splice(0),
        ...(done && { scans: left }),
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
      // half a surrogate pair, which JSON can spell, would not survive being stored
      batch.push(block.text.isWellFormed() ? block : { ...block, text: block.text.toWellFormed() })
      batchSize += block.text.length
      if (batchSize >= batchCharacters || batch.length >= batchBlocks) await send(false)
    }
    await send(true)
  } catch (error) {
    parent.send({ ...describeFailure(error), notes })
  } finally {
    processorTime.allow(Infinity)
  }
}

type PageRequest = Extract<ParserRequest, { type: "page-sizes" | "page-picture" }>

async function showPage(request: PageRequest): Promise<void> {
  try {
    const { pagePicture, pageSizes } = await import("./pages/page-pictures.ts")
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

async function parserFor(input: ParserInput): Promise<Parser> {
  const detection = await detectType(input.path, input.name)
  if ("unsupported" in detection) throw new ParseFailure(detection.unsupported, "skipped")
  return detection.format.load()
}

/** Tesseract, which tells the parent now and then that the document goes on. */
async function createRecognizer(languages: string, processorMs: number): Promise<TextRecognizer> {
  const { Tesseract } = await import("./ocr/tesseract.ts")
  return new Tesseract(languages, () => {
    processorTime.allow(processorMs)
    parent.send({ type: "recognising", notes: [] })
  })
}

type Failure =
  | { type: "ocr-needed" }
  | { type: "failure"; reason: FileReason; outcome: "failed" | "skipped"; obstacle?: Obstacle }
  | { type: "fault"; message: string }

function describeFailure(error: unknown): Failure {
  if (error instanceof OcrNeeded) return { type: "ocr-needed" }
  if (error instanceof ParseFailure) {
    const { reason, outcome, obstacle } = error
    return { type: "failure", reason, outcome, ...(obstacle && { obstacle }) }
  }
  const code = error instanceof Error && "code" in error ? error.code : undefined
  if (code === "ENOENT" || code === "ELOOP" || code === "ENOTDIR") return failed("gone")
  if (code === "EACCES" || code === "EPERM") return failed("not_allowed")
  if (code === "EISDIR") return failed("is_directory")
  const obstacle = obstacleOf(error)
  if (obstacle === "locked") return { ...failed("in_use"), obstacle }
  if (obstacle) return { ...failed("device_failed"), obstacle }
  return { type: "fault", message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}

function failed(code: "device_failed" | "gone" | "in_use" | "is_directory" | "not_allowed") {
  return { type: "failure", reason: reason(code), outcome: "failed" } as const
}
