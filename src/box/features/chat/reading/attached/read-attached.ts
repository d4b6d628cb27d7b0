import type { Attachment } from "../../../../../shared/contract/chat.ts"
import type { Passage } from "../../../../../shared/contract/folders.ts"
import type { Sentence } from "../../../../../shared/sentences/sentence.ts"
import { createNotice, sentence } from "../../../../../shared/sentences/sentences.ts"
import { whyUnreadable } from "../../../../core/files/unread.ts"
import { yieldToEventLoop } from "../../../../core/waiting/yield-to-event-loop.ts"
import type { ChatEngine } from "../../../../engines/engine.ts"
import type { Block } from "../../../../parsers/parser.ts"
import { createOutline } from "../../../../parsers/ranges/outline.ts"
import {
  type AttachedReader,
  type AttachedTexts,
  takeFitting,
  mergeNeighbours,
  type CitedPassage,
} from "../../grounding/fit-passages.ts"
import { findPassages, type PassageRequest, type SearchFolders } from "../../grounding/find-passages.ts"
import { isPending, toAsked } from "../pending-files.ts"
import { getFolder, type LibraryFile, type ReadingLibrary } from "../library.ts"

export interface AttachedDeps {
  library: ReadingLibrary
  search: SearchFolders
}

/** Files of a chat, and the question for which they are read. */
export interface AskedAttached extends Omit<PassageRequest, "vectorIds"> {
  userId: string
  /** Files attached to the question itself. */
  newest: readonly Pick<Attachment, "fileId" | "name">[]
  /** Files attached to earlier messages, newest first. */
  earlier: readonly Pick<Attachment, "fileId" | "name">[]
  /** Whether other folders are searched too and need space. */
  hasOtherFolders: boolean
}

/** Maximum length of a file that is included completely, because its text is stored with the answer. Longer files are included in part. */
const maxCharacters = 200_000
/** Upper limit: no tokenizer makes fewer tokens from a text. */
const charactersPerToken = 8
/** Shares of the space: for attached files if folders are searched too, and for files of earlier messages. */
const shares = { hasOtherFolders: 2 / 3, earlier: 1 / 2 }
/** Shares of the space for a file that is too long: for its beginning and for its outline. The search results in it get the rest. */
const shareInPart = { beginning: 0.4, outline: 0.2 }
/** Maximum number of passages read from a file: for its beginning, for the whole file and from a search. */
const limits = { beginning: 16, whole: 4_000, found: 50 }
const maxOutlineLength = { lines: 80, maxTitleLength: 120 }
/** Maximum number of files whose beginning is quoted without a model, and number of passages that form a beginning. */
const maxQuoted = { files: 5, passages: 2 }

interface OpenFile {
  file: LibraryFile
  characters: number
  isNewest: boolean
}

type Given = Pick<AttachedTexts, "cited" | "tokens">
const noPassages: Given = { cited: [], tokens: 0 }

/** Reads attached files: completely if they fit, otherwise their beginning, their outline and the search results in them. */
export const createAttachedReader = (deps: AttachedDeps, asked: AskedAttached): AttachedReader =>
  new AttachedDocuments(deps, asked)

class AttachedDocuments implements AttachedReader {
  readonly #deps: AttachedDeps
  readonly #asked: AskedAttached

  constructor(deps: AttachedDeps, asked: AskedAttached) {
    this.#deps = deps
    this.#asked = asked
  }

  async fitting(engine: ChatEngine, room: number): Promise<AttachedTexts> {
    const { files, said, notices } = await this.#open()
    const all: Given[] = []
    const fileIds = new Set<string>()
    let left = Math.floor(this.#asked.hasOtherFolders ? room * shares.hasOtherFolders : room)
    const give = (file: OpenFile, given: Given) => {
      all.push(given)
      fileIds.add(file.file.id)
      left -= given.tokens
    }
    const own = files.filter(({ isNewest }) => isNewest)
    const long: OpenFile[] = []
    // Small files first, so that as many as possible are included completely.
    for (const file of own.toSorted((a, b) => a.characters - b.characters)) {
      const given = await this.#whole(file, engine, left)
      if (given) give(file, given)
      else long.push(file)
    }
    const found = await this.#findIn(long)
    for (const [index, file] of long.entries())
      give(file, await this.#readPartly(file, found, engine, Math.floor(left / (long.length - index))))
    left = Math.min(left, Math.floor(room * shares.earlier))
    for (const file of files.filter(({ isNewest }) => !isNewest)) {
      const given = await this.#whole(file, engine, left)
      if (given) give(file, given)
    }
    return {
      cited: all.flatMap(({ cited }) => cited),
      tokens: all.reduce((sum, { tokens }) => sum + tokens, 0),
      fileIds,
      said: [...said, ...long.map(({ file: { name } }) => describe(name, partly))],
      notices: [
        ...notices,
        ...long.map(({ file: { name } }) => createNotice("attachment_in_part", { name })),
      ],
    }
  }

  /** Returns the files that have text, and messages about the question's other files. */
  async #open(): Promise<{ files: OpenFile[] } & Pick<AttachedTexts, "said" | "notices">> {
    const files: OpenFile[] = []
    const unread: { name: string; why: Sentence; file: LibraryFile | null }[] = []
    const all = [...this.#asked.newest, ...this.#asked.earlier]
    const lengths = await this.#deps.library.characters(all.map(({ fileId }) => fileId))
    for (const { fileId, name } of all) {
      const isNewest = this.#asked.newest.some((each) => each.fileId === fileId)
      const file = await this.#deps.library.file(this.#asked.userId, fileId)
      const characters = lengths.get(fileId) ?? 0
      const why = file ? whyUnread(file, characters) : sentence("reading.removed")
      if (file && !why) files.push({ file, characters, isNewest })
      else if (why && isNewest) unread.push({ name, why, file })
    }
    return {
      files,
      said: unread.map(({ name, why }) => describe(name, `It couldn't be read. ${why.text}`)),
      notices: unread.map(({ name, why, file }) => ({
        ...createNotice("attachment_unread", { name, what: why }),
        ...(file && isPending(file) && { files: [toAsked(file)] }),
      })),
    }
  }

  async #whole({ file, characters }: OpenFile, engine: ChatEngine, room: number): Promise<Given | null> {
    if (characters > Math.min(maxCharacters, room * charactersPerToken)) return null
    const cited = mergeNeighbours((await this.#deps.library.beginning(file.id, limits.whole)).map(toPassage))
    return fit(engine, cited, room, true)
  }

  /** Searches the files that are too long. */
  async #findIn(files: readonly OpenFile[]): Promise<Passage[]> {
    if (files.length === 0) return []
    const folders = [...new Set(files.map(({ file }) => getFolder(file)))]
    const search: SearchFolders = (wanted) =>
      this.#deps.search({ ...wanted, topK: limits.found, generated: "all" })
    return (await findPassages(search, { ...this.#asked, vectorIds: folders })).passages
  }

  async #readPartly({ file }: OpenFile, found: readonly Passage[], engine: ChatEngine, room: number) {
    const first = (await this.#deps.library.beginning(file.id, limits.beginning)).map(toPassage)
    const beginning = await fit(engine, mergeNeighbours(first), room * shareInPart.beginning)
    const outline = await this.#fitOutline(file, first[0], engine, room * shareInPart.outline)
    const taken = new Set(beginning.cited.flatMap(({ ids }) => ids))
    const others = found.filter(({ fileId, id }) => fileId === file.id && !taken.has(id))
    const left = room - beginning.tokens - outline.tokens
    const rest = await takeFitting(engine, others, left)
    return {
      cited: [...outline.cited, ...beginning.cited, ...mergeNeighbours(rest.taken)],
      tokens: room - rest.room,
    }
  }

  /** Returns as much of an outline as fits. */
  async #fitOutline(
    file: LibraryFile,
    first: Passage | undefined,
    engine: ChatEngine,
    room: number,
  ): Promise<Given> {
    if (!first) return noPassages
    const { position: _, ...passage } = first
    let lines = await outlineLines(
      await this.#deps.library.blocks({ userId: this.#asked.userId, granted: [] }, file),
    )
    for (; lines.length > 0; lines = lines.slice(0, Math.floor(lines.length / 2))) {
      const text = `Outline of the document:\n${lines.join("\n")}`
      const given = await fit(engine, [{ passage: { ...passage, text, location: {} }, ids: [] }], room, true)
      if (given) return given
    }
    return noPassages
  }

  async beginnings(found: readonly Passage[]): Promise<AttachedTexts> {
    const { files, said, notices } = await this.#open()
    const unfound = files.filter(
      ({ file, isNewest }) => isNewest && !found.some(({ fileId }) => fileId === file.id),
    )
    const cited: CitedPassage[] = []
    for (const { file } of unfound.slice(0, maxQuoted.files))
      cited.push(
        ...mergeNeighbours((await this.#deps.library.beginning(file.id, maxQuoted.passages)).map(toPassage)),
      )
    return { cited, tokens: 0, fileIds: new Set(unfound.map(({ file }) => file.id)), said, notices }
  }
}

const partly =
  "It is too long to be given whole. Its outline, how it begins and what fits the question are among the passages."

/** Returns the outline of a text, one entry per line, with page numbers if there are pages. */
async function outlineLines(text: AsyncIterable<readonly Block[]>): Promise<string[]> {
  const outline = createOutline()
  let number = 0
  for await (const blocks of text)
    for (const block of blocks) {
      await yieldToEventLoop()
      outline.visit(block, number++)
    }
  return outline.outline.entries.slice(0, maxOutlineLength.lines).map(({ title, location: { page } }) => {
    const words = `- ${title.slice(0, maxOutlineLength.maxTitleLength)}`
    return page === undefined ? words : `${words} (page ${page})`
  })
}

function whyUnread(file: LibraryFile, characters: number): Sentence | undefined {
  const why = whyUnreadable(file)
  if (why) return why[0] ?? sentence("reading.unreadable")
  if (characters > 0) return undefined
  return sentence("reading.no_text")
}

/** Converts a passage that didn't come from a search. */
const toPassage = (passage: Omit<Passage, "score" | "rank">): Passage => ({ ...passage, score: 1, rank: {} })

/** Returns the passages that fit; with `all`, none unless all of them fit. */
async function fit(engine: ChatEngine, cited: readonly CitedPassage[], room: number): Promise<Given>
async function fit(
  engine: ChatEngine,
  cited: readonly CitedPassage[],
  room: number,
  all: true,
): Promise<Given | null>
async function fit(engine: ChatEngine, cited: readonly CitedPassage[], room: number, all = false) {
  const texts = cited.map((each) => ({ ...each, text: each.passage.text }))
  const { taken, room: left } = await takeFitting(engine, texts, room)
  if (all && taken.length < cited.length) return null
  return { cited: taken.map(({ passage, ids }) => ({ passage, ids })), tokens: room - left }
}

const describe = (name: string, said: string) =>
  `<file name=${JSON.stringify(plain(name))}>\nThe user attached this file. ${plain(said)}\n</file>`

const plain = (words: string) => words.replace(/<(?=\s*\/?\s*file)/gi, "‹")
