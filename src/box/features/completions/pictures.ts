import { z } from "zod"
import { parameterName } from "./validate-request.ts"
import { AppError, type FieldIssue } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Sentence } from "../../../shared/sentences/sentence.ts"
import type { EnginePicture } from "../../engines/engine.ts"

/** An image in a message of a request. */
export interface AskedPicture {
  /** Character position in the message's text before which the image belongs. */
  at: number
  /** Index of the part in the message's content. */
  index: number
  /** A `data:` URL. Any other address is refused. */
  url: string
}

export interface NamedPicture extends Omit<AskedPicture, "index"> {
  /** Object that identifies the image in the request. */
  key: object
  /** Name of the parameter: `messages[0].content[1]`. */
  field: string
}

/** Prepares an image for a model. Throws `unsupported_content`. */
export type PreparePicture = (file: Uint8Array, signal: AbortSignal) => Promise<Omit<EnginePicture, "at">>

/** The prepared images of a request by the object that identifies them. */
export type PreparedPictures = ReadonlyMap<object, EnginePicture>

const maxPictures = 50
const types: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/jpg",
  "image/webp",
  "image/gif",
])

export const PictureDetail = z.enum(["auto", "low", "high", "original"]).nullish()

/** A text or an image, as a part of a message. */
export type SaidPart = { text: string } | { url: string }

/** Accepts the user's content as parts, or as a text, which becomes one part of type `textType`. */
export const userContent = (part: z.ZodType<SaidPart>, textType: string) =>
  z
    .preprocess(
      (content) => (typeof content === "string" ? [{ type: textType, text: content }] : content),
      z.array(part, "must be a text or parts").min(1),
    )
    .transform((parts) => {
      const pictures: AskedPicture[] = []
      let text = ""
      for (const [index, entry] of parts.entries()) {
        if ("text" in entry) text += entry.text
        else pictures.push({ at: text.length, index, url: entry.url })
      }
      return { text, pictures }
    })

/** Returns the images of a message with the parameter names of their parts. */
export const namedPictures = (
  pictures: readonly AskedPicture[],
  place: (string | number)[],
): NamedPicture[] =>
  pictures.map((picture) => ({
    ...picture,
    key: picture,
    field: parameterName([...place, "content", picture.index]),
  }))

/** Throws `unsupported_content` naming the first part that the model can't be shown. */
export async function preparePictures(
  asked: readonly NamedPicture[],
  model: { name: string; vision: boolean },
  prepare: PreparePicture,
  signal: AbortSignal,
): Promise<PreparedPictures> {
  const prepared = new Map<object, EnginePicture>()
  for (const [index, picture] of asked.entries()) {
    if (!model.vision) throw unsupported(picture.field, sentence("pictures.not_seen", { model: model.name }))
    if (index >= maxPictures)
      throw unsupported(picture.field, sentence("pictures.too_many", { count: maxPictures }))
    const file = getBytes(picture)
    const ready = await prepare(file, signal).catch((error: unknown) => {
      throw error instanceof AppError && error.code === "unsupported_content"
        ? unsupported(picture.field, error.sentence)
        : error
    })
    prepared.set(picture.key, { ...ready, at: picture.at })
  }
  return prepared
}

/** Returns the images of a message for the engine, if there are any. */
export function picturesFor(
  keys: readonly object[],
  prepared: PreparedPictures,
): { pictures?: EnginePicture[] } {
  const pictures = keys.flatMap((key) => prepared.get(key) ?? [])
  return pictures.length > 0 ? { pictures } : {}
}

/** Returns the bytes in a `data:` URL. */
function getBytes({ url, field }: NamedPicture): Buffer {
  const comma = url.slice(0, maxHeadLength).indexOf(",")
  const [scheme = "", ...attributes] = url.slice(0, Math.max(0, comma)).toLowerCase().split(";")
  if (!url.slice(0, 5).toLowerCase().startsWith("data:"))
    throw unsupported(field, sentence(isAddress(url) ? "pictures.elsewhere" : "pictures.not_data"))
  if (!types.has(scheme.slice("data:".length)) || attributes.at(-1) !== "base64")
    throw unsupported(field, sentence("pictures.not_data"))
  return Buffer.from(url.slice(comma + 1), "base64")
}

/** The media type and its attributes are short. */
const maxHeadLength = 200
const isAddress = (url: string) => /^[a-z][a-z0-9+.-]*:/i.test(url.slice(0, maxHeadLength))

function unsupported(field: string, what: Sentence): AppError {
  const issue: FieldIssue = { field, message: what.text, ...what.field }
  return new AppError("unsupported_content", sentence("completions.unsupported_part", { field, what }), {
    details: [issue],
  })
}
