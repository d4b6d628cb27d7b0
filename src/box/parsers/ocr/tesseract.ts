import { createWorker, OEM } from "tesseract.js"
import type { Worker } from "tesseract.js"
import { within } from "../../core/within.ts"
import { ParseFailure } from "../parser.ts"
import { readLanguages } from "./languages.ts"
import { middleOf, turned, turnedArea, turns } from "./orientation.ts"
import type { Area } from "./orientation.ts"
import { toReading } from "./reading.ts"
import type { Reading } from "./reading.ts"
import type { RecognisedParagraph, TextRecognizer } from "./text-recognizer.ts"

/** Time for starting, and for each look at a picture, in ms. */
const limitMs = 50_000

/** Share of legible characters from which on a picture is taken to be upright. */
const upright = 0.6

/** Tesseract in a thread of this process. It starts with the first picture, and anew after every failure. */
export class Tesseract implements TextRecognizer, AsyncDisposable {
  readonly #languages: string
  readonly #onStep: () => void
  #worker: Promise<Worker> | undefined

  /**
   * @param languages directory of `.traineddata.gz` files: text in these languages is recognised
   * @param onStep called at least every minute while a picture is read
   */
  constructor(languages: string, onStep: () => void = () => undefined) {
    this.#languages = languages
    this.#onStep = onStep
  }

  async recognize(image: Uint8Array): Promise<RecognisedParagraph[]> {
    const first = await this.#read(image)
    if (first.share >= upright) return first.paragraphs
    const better = await this.#readTurned(image, first).catch((error: unknown) => {
      if (error instanceof ParseFailure) return undefined // what was found upright still counts
      throw error
    })
    if (!better) return first.paragraphs
    return better.paragraphs.map(({ text }) => ({ text, area: undefined }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const worker = await this.#worker?.catch(() => undefined)
    await worker?.terminate()
  }

  /** The reading of the turned picture in which more is legible, if there is one. A part of it shows which way to turn. */
  async #readTurned(image: Uint8Array, { legible, area }: Reading): Promise<Reading | undefined> {
    if (!area) return undefined
    const { imageGrey } = await this.#look(async (worker) => {
      const { data } = await worker.recognize(Buffer.from(image), {}, { text: false, imageGrey: true })
      return data
    })
    const png = Buffer.from(imageGrey?.split(",")[1] ?? "", "base64")
    let best: { picture: Uint8Array; legible: number } | undefined
    for (const turn of turns) {
      const picture = turned(png, turn)
      const part = await this.#read(picture, middleOf(turnedArea(png, turn, area)))
      if (part.legible > (best?.legible ?? 0)) best = { picture, legible: part.legible }
    }
    if (!best) return undefined
    const whole = await this.#read(best.picture)
    return whole.legible > legible ? whole : undefined
  }

  #read(image: Uint8Array, rectangle?: Area): Promise<Reading> {
    return this.#look(async (worker) => {
      const options = rectangle ? { rectangle } : {}
      const { data } = await worker.recognize(Buffer.from(image), options, { text: false, blocks: true })
      return toReading(data)
    })
  }

  /** Throws `ParseFailure` when the picture can't be decoded, or when it takes too long. */
  async #look<T>(task: (worker: Worker) => Promise<T>): Promise<T> {
    const worker = await (this.#worker ??= this.#start())
    this.#onStep()
    let failure = "The picture is too intricate for OCR."
    try {
      const result = await within(limitMs, task(worker))
      if (result !== undefined) return result
    } catch {
      // Tesseract rejects with strings such as "Error attempting to read image."
      failure = "The picture is damaged or of a kind that can't be decoded."
    }
    this.#worker = undefined
    await worker.terminate()
    throw new ParseFailure(failure)
  }

  async #start(): Promise<Worker> {
    const languages = await readLanguages(this.#languages)
    const { promise, resolve, reject } = Promise.withResolvers<Worker>()
    // without `errorHandler` a bad picture would end the process
    const options = { langPath: this.#languages, gzip: true, cacheMethod: "none", errorHandler: reject }
    createWorker(languages, OEM.LSTM_ONLY, options, "debug_file /dev/null").then(resolve, reject)
    const worker = await within(limitMs, promise).catch(() => undefined)
    if (worker) return worker
    throw new ParseFailure("OCR can't start: check the language files in the box's OCR folder.")
  }
}
