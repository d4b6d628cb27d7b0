import { type Bbox, type Page, createWorker, OEM, type Worker } from "tesseract.js"
import {
  maxBlockCharacters,
  type Area,
  type RecognisedParagraph,
  failure,
  ParseFailure,
  type TextRecognizer,
} from "../parser.ts"
import { withinProcessorTime } from "../process/processor-time.ts"
import { splitText } from "../text/split-text.ts"
import { decodeGreyPng, decodePgm, encodePgm, type GreyImage } from "./page-recognition.ts"
import { readLanguages } from "./languages.ts"
import {
  findSample,
  type Sample,
  toOriginalArea,
  crop,
  getMiddle,
  rotate,
  type Rotation,
} from "./orientation.ts"

/** Minimum confidence, in percent, for a word, or a line on an illegible page, to be text and not a pattern. */
const legibleWord = 60
const legibleLine = 55
const legibleShare = 0.5

// In scripts without capital letters, a single letter may be a word.
const shortWord = /[\p{L}\p{N}]{2}|\p{Lo}/u
/** Noise also contains words of two letters. */
const longWord = /[\p{L}\p{N}]{3}|\p{Lo}/u

/** Tesseract's result for an image in one orientation. */
interface Reading {
  /** Number of characters in words that are certainly text. */
  legible: number
  /** Their share of all characters. */
  share: number
  paragraphs: RecognisedParagraph[]
  /** Area of everything that looked like text; undefined if nothing did. */
  area: Area | undefined
}

/** Evaluates Tesseract's result, because Tesseract also finds words in patterns and in rotated text. */
function toReading({ blocks }: Page): Reading {
  const paragraphs = (blocks ?? []).flatMap((block) => block.paragraphs)
  let legible = 0
  let total = 0
  for (const word of paragraphs.flatMap(({ lines }) => lines).flatMap(({ words }) => words)) {
    total += word.text.length
    if (word.confidence >= legibleWord && longWord.test(word.text)) legible += word.text.length
  }
  const share = total > 0 ? legible / total : 0
  const found = paragraphs.map(({ lines, bbox }) => {
    const text = lines
      .filter(
        (line) => share >= legibleShare || (line.confidence >= legibleLine && shortWord.test(line.text)),
      )
      .map((line) => line.text.trim())
      .join("\n")
    return { text, area: getBounds([bbox]) }
  })
  const area = getBounds(paragraphs.map(({ bbox }) => bbox))
  return {
    legible,
    share,
    area,
    paragraphs: found.flatMap(({ text, area }) =>
      splitText(text.trim(), maxBlockCharacters).map((part) => ({ text: part, area })),
    ),
  }
}

function getBounds(boxes: readonly Bbox[]): Area | undefined {
  if (boxes.length === 0) return undefined
  const left = Math.min(...boxes.map(({ x0 }) => x0))
  const top = Math.min(...boxes.map(({ y0 }) => y0))
  const width = Math.max(...boxes.map(({ x1 }) => x1)) - left
  const height = Math.max(...boxes.map(({ y1 }) => y1)) - top
  return { left, top, width, height }
}

/** Minimum share of legible characters for an image to be considered upright. */
const upright = 0.6
/** This many legible characters aren't a coincidence. */
const enough = 20
const allRotations: Rotation[] = [0, 1, 2, 3]

/** Runs Tesseract in a thread of this process. The thread starts with the first image, and again after every failure. */
export class Tesseract implements TextRecognizer, AsyncDisposable {
  readonly #languages: string
  readonly #onStep: () => void
  #worker: Promise<Worker> | undefined

  /**
   * @param languages directory of `.traineddata.gz` files; text in these languages is recognised
   * @param onStep called every few seconds while an image is read
   */
  constructor(languages: string, onStep: () => void = () => undefined) {
    this.#languages = languages
    this.#onStep = onStep
  }

  /** Uses a sample to find the rotation first, because reading a whole image takes longest when it is illegible. */
  async recognize(image: Uint8Array): Promise<RecognisedParagraph[]> {
    const grey = decodePgm(image) ?? (await this.#decode(image))
    const first = await this.#readTurned(image, grey, (await this.#detectTurn(grey, findSample(grey))) ?? 0)
    if (first.share >= upright || !first.area) return first.paragraphs
    const turns = allRotations.filter((turn) => turn !== first.turn)
    const better = await this.#readBetter(image, grey, { area: getMiddle(first.area), turns }).catch(
      (error: unknown) => {
        if (error instanceof ParseFailure) return undefined // The first result is still valid.
        throw error
      },
    )
    return better && better.legible > first.legible ? better.paragraphs : first.paragraphs
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const worker = await this.#worker?.catch(() => undefined)
    await worker?.terminate()
  }

  /** Returns the rotation that makes a sample legible, if there is one. */
  async #detectTurn(grey: GreyImage, { area, turns }: Sample): Promise<Rotation | undefined> {
    const part = crop(grey, area)
    let best: { turn: Rotation; legible: number } | undefined
    for (const turn of turns) {
      const { share, legible } = await this.#read(encodePgm(rotate(part, turn)))
      if (share >= upright && legible >= enough) return turn
      const likelier = legible > (best?.legible ?? enough / 2)
      if (likelier && share >= upright / 2) best = { turn, legible }
    }
    return best?.turn
  }

  async #readBetter(image: Uint8Array, grey: GreyImage, sample: Sample): Promise<Reading | undefined> {
    const turn = await this.#detectTurn(grey, sample)
    return turn === undefined ? undefined : this.#readTurned(image, grey, turn)
  }

  /** Areas in the reading refer to the original image. */
  async #readTurned(
    image: Uint8Array,
    grey: GreyImage,
    turn: Rotation,
  ): Promise<Reading & { turn: Rotation }> {
    const reading = await this.#read(turn === 0 ? image : encodePgm(rotate(grey, turn)))
    const toOriginal = (area: Area | undefined) => area && toOriginalArea(area, turn, grey)
    return {
      ...reading,
      turn,
      area: toOriginal(reading.area),
      paragraphs: reading.paragraphs.map(({ text, area }) => ({ text, area: toOriginal(area) })),
    }
  }

  async #decode(image: Uint8Array): Promise<GreyImage> {
    return this.#withWorker(async (worker) => {
      const { data } = await worker.recognize(Buffer.from(image), {}, { text: false, imageGrey: true })
      return decodeGreyPng(Buffer.from(data.imageGrey?.split(",")[1] ?? "", "base64"))
    })
  }

  #read(image: Uint8Array): Promise<Reading> {
    return this.#withWorker(async (worker) => {
      const { data } = await worker.recognize(Buffer.from(image), {}, { text: false, blocks: true })
      return toReading(data)
    })
  }

  /** Throws `ParseFailure` when the image can't be decoded or takes too long. */
  async #withWorker<T>(task: (worker: Worker) => Promise<T>): Promise<T> {
    const worker = await (this.#worker ??= this.#start())
    this.#onStep()
    let trouble: "picture_too_intricate" | "picture_undecodable" = "picture_too_intricate"
    try {
      const result = await withinProcessorTime(task(worker), this.#onStep)
      if (result !== undefined) return result
    } catch {
      // Tesseract rejects with strings such as "Error attempting to read image."
      trouble = "picture_undecodable"
    }
    this.#worker = undefined
    await worker.terminate()
    throw failure(trouble)
  }

  async #start(): Promise<Worker> {
    const languages = await readLanguages(this.#languages)
    const { promise, resolve, reject } = Promise.withResolvers<Worker>()
    // Without `errorHandler`, a bad image would end the process.
    const options = { langPath: this.#languages, gzip: true, cacheMethod: "none", errorHandler: reject }
    createWorker(languages, OEM.LSTM_ONLY, options, "debug_file /dev/null").then(resolve, reject)
    const worker = await withinProcessorTime(promise, this.#onStep).catch(() => undefined)
    if (worker) return worker
    throw failure("ocr_unavailable")
  }
}
