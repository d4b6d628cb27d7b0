import { lookup } from "mime-types"
import type { Attachment, ChatMessage } from "../../../../shared/contract/chat.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { createNotice, sentence } from "../../../../shared/sentences/sentences.ts"
import {
  type ChatEngine,
  type ChatModel,
  type EnginePicture,
  tokensOfPicture,
} from "../../../engines/engine.ts"
import { reachesFolders } from "../../../http/caller.ts"
import type { AnswerEvent, Turn } from "./turn.ts"

/** The images in the chats' own folders. */
export interface ChatPictures {
  /** Returns the image in a form for vision models, or null if the file is gone. Throws `unsupported_content`. */
  show(place: PictureLocation, signal: AbortSignal): Promise<Omit<EnginePicture, "at"> | null>
  /** Returns the text recognised in the image; empty if there is none, or if it isn't ready when the signal is aborted. */
  read(place: PictureLocation, signal: AbortSignal): Promise<string>
}

export interface PictureLocation {
  userId: string
  folderId: string
  fileId: string
}

/** The images of a message as the model receives them. */
export interface Attached {
  pictures: EnginePicture[]
  /** Text recognised in images that the model can't see. */
  texts: { name: string; text: string }[]
  /** The text that the model reads about images that it isn't shown. */
  said: string[]
}

interface ChatFolderSource {
  /** Returns the ID of the chat's own folder; null if it has none. */
  getChatFolder(userId: string, chatId: string): Promise<string | null>
}

export type TurnPictures = ReadonlyMap<ChatMessage, Attached>

/** Maximum number of images in a chat that a model is shown, and of characters of recognised text it receives. */
const limits = { pictures: 12, characters: 24_000 }
/** Assumed context window in tokens before a model is loaded. */
const usualContext = 8_192
/** Share of the context window for a chat's images. Those of the newest message with images may exceed it. */
const contextShare = 0.5
/** Timeout in ms for recognising text in new images. */
const recognisingMs = 60_000
/** Allowed image types in a request. */
const types: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"])

/**
 * Finds the images of the chat, newest first, as far as there is room. If an image of the newest message can't be shown, the answer ends,
 * because the model would invent its content.
 */
export async function* findPictures(
  { pictures, getChatFolder }: ChatFolderSource & { pictures: ChatPictures },
  { model }: Pick<ChatEngine, "model">,
  { identity: { userId, chatId }, request, progress, ports }: Turn,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent, TurnPictures> {
  const found = new Map<ChatMessage, Attached>()
  const attachments = reachesFolders(request) ? await ports.attachments() : new Map<number, Attachment[]>()
  const folderId = attachments.size === 0 ? null : await getChatFolder(userId, chatId)
  if (folderId === null) return found
  const isResumed = progress.parts.length > 0
  const give = model.vision ? createShowing(pictures, model, signal) : createReading(pictures, model, signal)
  for (const [index, message] of [...request.messages.entries()].toReversed()) {
    const images = (attachments.get(index) ?? []).filter(isPicture)
    if (images.length === 0) continue
    const isNewest = message === request.messages.at(-1)
    if (isNewest && !isResumed) yield* getNotices(model, images.length)
    const attached: Attached = { pictures: [], texts: [], said: [] }
    for (const { fileId, name } of images) {
      try {
        signal.throwIfAborted()
        await give({ location: { userId, folderId, fileId }, name, isNewest }, attached)
      } catch (error) {
        if (signal.aborted) return found
        throw error
      }
    }
    found.set(message, attached)
  }
  return found
}

function* getNotices({ vision, id }: ChatModel, count: number): Generator<AnswerEvent> {
  if (!vision) yield { type: "notice", ...createNotice("no_vision", { model: id }) }
  else if (count > limits.pictures)
    yield {
      type: "notice",
      ...createNotice("pictures_left_out", { count: count - limits.pictures, most: limits.pictures }),
    }
}

interface AskedPicture {
  location: PictureLocation
  name: string
  /** Whether the image belongs to the question itself. */
  isNewest: boolean
}

type Give = (picture: AskedPicture, to: Attached) => Promise<void>

/** Shows images to a vision model, newest first. */
function createShowing(pictures: ChatPictures, { contextSize }: ChatModel, signal: AbortSignal): Give {
  let room = limits.pictures
  let tokens = (contextSize || usualContext) * contextShare
  let newest: Attached | undefined
  return async ({ location, name, isNewest }, to) => {
    newest ??= to
    const shown = room > 0 && (await show(pictures, location, name, isNewest, signal))
    const size = shown ? tokensOfPicture(shown) : 0
    if (shown && (to === newest || size <= tokens)) {
      to.pictures.push({ ...shown, at: 0 })
      room--
      tokens -= size
    } else {
      to.said.push(quote(name, "The user attached this picture, which isn't shown to you."))
      if (shown) room = 0 // older images are left out too, because gaps would confuse the model
    }
  }
}

/** Gives the text in images to a model without vision. */
function createReading(pictures: ChatPictures, { contextSize }: ChatModel, signal: AbortSignal): Give {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(recognisingMs)])
  let room = Math.min(limits.characters, contextSize || usualContext)
  return async ({ location, name }, to) => {
    const text = room > 0 ? (await pictures.read(location, patience)).slice(0, room) : ""
    const what =
      text.trim() === "" ? "No text was recognised in it." : `Text recognised in it:\n${plain(text)}`
    to.said.push(quote(name, `The user attached this picture, which you can't see. ${what}`))
    to.texts.push({ name, text })
    room -= text.length
  }
}

/**
 * Returns whether only the chat's own folder is searched, for images that the model sees or whose text it received. A notice that they
 * contain no text would then be useless. This also applies to later questions if nothing else is attached.
 */
export async function asksPicturesOnly(
  { getChatFolder }: ChatFolderSource,
  { identity: { userId, chatId }, request: { messages, vectorIds }, ports }: Turn,
  pictures: TurnPictures,
): Promise<boolean> {
  const shown = messages.filter((message) => {
    const attached = pictures.get(message)
    return attached && attached.pictures.length + attached.texts.length > 0
  })
  if (shown.length === 0) return false
  const own = await getChatFolder(userId, chatId)
  if (!vectorIds.every((id) => id === own)) return false
  return shown.at(-1) === messages.at(-1) || [...(await ports.attachments()).values()].flat().every(isPicture)
}

/** Returns whether a file name is that of an image that models can be shown. */
export const isPicture = ({ name }: Pick<Attachment, "name">) => types.has(lookup(name) || "")

async function show(
  pictures: ChatPictures,
  location: PictureLocation,
  name: string,
  isNewest: boolean,
  signal: AbortSignal,
) {
  try {
    return await pictures.show(location, signal)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "unsupported_content") throw error
    if (!isNewest) return null
    throw new AppError("unsupported_content", sentence("pictures.one_of", { name, what: error.sentence }))
  }
}

const quote = (name: string, said: string) =>
  `<picture name=${JSON.stringify(plain(name))}>\n${said}\n</picture>`

const plain = (words: string) => words.replace(/<(?=\s*\/?\s*picture)/gi, "‹")
