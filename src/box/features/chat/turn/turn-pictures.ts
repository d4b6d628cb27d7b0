import { lookup } from "mime-types"
import type { Attachment, ChatMessage } from "../../../../shared/contract/chat.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { noticeOf, sentence } from "../../../../shared/sentences/sentences.ts"
import type { ChatEngine, ChatModel, EnginePicture } from "../../../engines/engine.ts"
import { tokensOfPicture } from "../../../engines/tokens-of-picture.ts"
import { reachesFolders } from "../../../http/caller.ts"
import type { AnswerEvent, Turn } from "./turn.ts"

/** The pictures in chats' own folders. */
export interface ChatPictures {
  /** Ready for a model that sees; null where the file is gone. Throws `unsupported_content`. */
  show(place: PicturePlace, signal: AbortSignal): Promise<Omit<EnginePicture, "at"> | null>
  /** The text that was recognised in it; empty where there is none, or not by the time the signal is aborted. */
  read(place: PicturePlace, signal: AbortSignal): Promise<string>
}

export interface PicturePlace {
  userId: string
  folderId: string
  fileId: string
}

export interface TurnPicturesDeps {
  pictures: ChatPictures
  ownFolder(userId: string, chatId: string): Promise<string | null>
}

/** What a model gets of a message's pictures. */
export interface Attached {
  pictures: EnginePicture[]
  /** What was recognised in those that it can't see. */
  texts: { name: string; text: string }[]
  /** What it reads of all that it isn't shown. */
  said: string[]
}

export type TurnPictures = ReadonlyMap<ChatMessage, Attached>

/** Pictures that a model is shown of a conversation, and characters of recognised text that it is given. */
const most = { pictures: 12, characters: 24_000 }
/** Counted on before a model is loaded, in tokens. */
const usualContext = 8_192
/** Share of the context for the pictures of a conversation; those of its newest message with any may take more. */
const contextShare = 0.5
/** Time in which text of pictures that have just come is waited for, in ms. */
const recognisingMs = 60_000
/** What the pictures of a request may be. */
const types: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"])

/**
 * The pictures of the conversation, the newest first as far as there is room. One of the newest message that can't be shown
 * ends the answer: what would be said about it would be made up.
 */
export async function* findPictures(
  deps: TurnPicturesDeps,
  { model }: Pick<ChatEngine, "model">,
  { identity: { userId, chatId }, request, progress, ports }: Turn,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent, TurnPictures> {
  const found = new Map<ChatMessage, Attached>()
  const attachments = reachesFolders(request) ? await ports.attachments() : new Map<number, Attachment[]>()
  const folderId = attachments.size === 0 ? null : await deps.ownFolder(userId, chatId)
  if (folderId === null) return found
  const isResumed = progress.parts.length > 0
  const give = model.vision ? createShowing(deps, model, signal) : createReading(deps, model, signal)
  for (const [index, message] of [...request.messages.entries()].toReversed()) {
    const pictures = (attachments.get(index) ?? []).filter(isPicture)
    if (pictures.length === 0) continue
    const isNewest = message === request.messages.at(-1)
    if (isNewest && !isResumed) yield* noticesOf(model, pictures.length)
    const attached: Attached = { pictures: [], texts: [], said: [] }
    for (const { fileId, name } of pictures) {
      try {
        signal.throwIfAborted()
        await give({ place: { userId, folderId, fileId }, name, isNewest }, attached)
      } catch (error) {
        if (signal.aborted) return found
        throw error
      }
    }
    found.set(message, attached)
  }
  return found
}

function* noticesOf({ vision, id }: ChatModel, count: number): Generator<AnswerEvent> {
  if (!vision) yield { type: "notice", ...noticeOf("no_vision", { model: id }) }
  else if (count > most.pictures)
    yield {
      type: "notice",
      ...noticeOf("pictures_left_out", { count: count - most.pictures, most: most.pictures }),
    }
}

interface AskedPicture {
  place: PicturePlace
  name: string
  /** Of the question itself. */
  isNewest: boolean
}

type Give = (picture: AskedPicture, to: Attached) => Promise<void>

/** Shows a model pictures, the newest first. */
function createShowing(
  { pictures }: TurnPicturesDeps,
  { contextSize }: ChatModel,
  signal: AbortSignal,
): Give {
  let room = most.pictures
  let tokens = (contextSize || usualContext) * contextShare
  let newest: Attached | undefined
  return async ({ place, name, isNewest }, to) => {
    newest ??= to
    const shown = room > 0 && (await show(pictures, place, name, isNewest, signal))
    const size = shown ? tokensOfPicture(shown) : 0
    if (shown && (to === newest || size <= tokens)) {
      to.pictures.push({ ...shown, at: 0 })
      room--
      tokens -= size
    } else {
      to.said.push(quote(name, "The user attached this picture, which isn't shown to you."))
      if (shown) room = 0 // older ones neither: gaps would confuse
    }
  }
}

/** Gives a model that sees none what is written in pictures. */
function createReading(
  { pictures }: TurnPicturesDeps,
  { contextSize }: ChatModel,
  signal: AbortSignal,
): Give {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(recognisingMs)])
  let room = Math.min(most.characters, contextSize || usualContext)
  return async ({ place, name }, to) => {
    const text = room > 0 ? (await pictures.read(place, patience)).slice(0, room) : ""
    const what =
      text.trim() === "" ? "No text was recognised in it." : `Text recognised in it:\n${plain(text)}`
    to.said.push(quote(name, `The user attached this picture, which you can't see. ${what}`))
    to.texts.push({ name, text })
    room -= text.length
  }
}

/**
 * Whether no folder is asked but the chat's own, for pictures that the model sees, or whose text it was given: that
 * nothing is written in them is no news. Nor is it for later questions, where nothing else is attached.
 */
export async function asksPicturesOnly(
  { ownFolder }: Pick<TurnPicturesDeps, "ownFolder">,
  { identity: { userId, chatId }, request: { messages, vectorIds }, ports }: Turn,
  pictures: TurnPictures,
): Promise<boolean> {
  const shown = messages.filter((message) => {
    const attached = pictures.get(message)
    return attached && attached.pictures.length + attached.texts.length > 0
  })
  if (shown.length === 0) return false
  const own = await ownFolder(userId, chatId)
  if (!vectorIds.every((id) => id === own)) return false
  return shown.at(-1) === messages.at(-1) || [...(await ports.attachments()).values()].flat().every(isPicture)
}

/** Whether a file is a picture that models can be shown, by its name. */
export const isPicture = ({ name }: Pick<Attachment, "name">) => types.has(lookup(name) || "")

async function show(
  pictures: ChatPictures,
  place: PicturePlace,
  name: string,
  isNewest: boolean,
  signal: AbortSignal,
) {
  try {
    return await pictures.show(place, signal)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "unsupported_content") throw error
    if (!isNewest) return null
    throw new AppError("unsupported_content", sentence("pictures.one_of", { name, what: error.sentence }))
  }
}

const quote = (name: string, said: string) =>
  `<picture name=${JSON.stringify(plain(name))}>\n${said}\n</picture>`

const plain = (words: string) => words.replace(/<(?=\s*\/?\s*picture)/gi, "‹")
