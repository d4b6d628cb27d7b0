import { posix } from "node:path"
import { reason } from "../../../shared/contract/file-reasons.ts"
import { isCompoundFile } from "../compound/compound-archive.ts"
import { readChunks } from "../document/document-file.ts"
import { noteSkipped } from "../document/left-out-parts.ts"
import { WordNumbering } from "../docx/word-numbering.ts"
import { WordOutline, type WordChunk, type WordDefinitions, type WordPicture } from "../docx/word-outline.ts"
import { WordStyles } from "../docx/word-styles.ts"
import { OfficePackage, describePackage, mainPart, readRelationships } from "../office/office-package.ts"
import { ChartOutline, DrawingOutline } from "../ooxml/drawing-outline.ts"
import { failure, ParseFailure, type Block, type ParseContext, type Parser } from "../parser.ts"
import { FlowOutline, withinHeading } from "../text/flow-outline.ts"
import { HiddenText } from "../text/hidden-text.ts"
import { xmlSteps, type XmlHandler } from "../xml/xml-events.ts"

/** Parts that are read after the body, with the title under which they are cited. */
const furtherParts: Record<string, string> = {
  footnotes: "Footnotes",
  endnotes: "Endnotes",
  comments: "Comments",
  header: "Page header",
  footer: "Page footer",
}

/** Maximum size of a document inside the text: 64 MB. */
const maxChunkBytes = 2 ** 26
const chunkTypes: readonly [RegExp, string][] = [
  [/html/, "html"],
  [/rtf/, "rtf"],
  [/rfc822|multipart\/related/, "mht"],
  [/wordprocessingml.*main/, "docx"],
  [/^text\/plain/, "txt"],
]

type Relationships = Awaited<ReturnType<typeof readRelationships>>

/** Word documents: headings, paragraphs, tables and text boxes, then notes, comments, charts and diagrams. */
export const docx: Parser = {
  async *parse(input, context) {
    if (await isCompoundFile(input.file)) {
      const { compoundFile } = await import("./compound-file.ts")
      return yield* compoundFile.parse(input, context)
    }
    const file = await OfficePackage.open(input.file, context)
    const main = await mainPart(file, "word/document.xml")
    if (!file.has(main)) throw failure("not_word_document")
    if (input.scan?.picture !== undefined) return yield* file.pictureText(input.scan.picture, context)
    await describePackage(file, context)
    const { parts, links } = await readRelationships(file, main)
    const hidden = new HiddenText(context)
    const definitions = { styles: new WordStyles(), numbering: new WordNumbering(), hidden }
    for (const { type, target } of parts) {
      if (type === "styles") await file.read(target, definitions.styles)
      else if (type === "numbering") await file.read(target, definitions.numbering)
    }

    const outline = new FlowOutline({}, hidden)
    const read = (part: string, relationships: Relationships, showsPictures: boolean) =>
      partBlocks({ file, part, relationships, outline, definitions, showsPictures, context })
    yield* read(main, { parts, links }, true)
    const seen = new Set<string>()
    for (const { type, target } of parts) {
      const title = furtherParts[type]
      if (title) {
        outline.section(title)
        const isOfPage = title.startsWith("Page")
        for await (const block of read(target, await readRelationships(file, target), !isOfPage)) {
          // Every section of a document has its own headers and footers, which are usually alike.
          if ((seen.has(block.text) && !block.picture) || (isOfPage && /^\d+$/.test(block.text))) continue
          if (seen.size < 10_000) seen.add(block.text)
          yield block
        }
      } else if (type === "chart" || type === "diagramData") {
        outline.section(type === "chart" ? "Chart" : "Diagram")
        await file.read(target, type === "chart" ? new ChartOutline(outline) : new DrawingOutline(outline))
        yield* outline.take()
      }
    }
    hidden.note(context)
  },
}

interface WordPart {
  file: OfficePackage
  part: string
  relationships: Relationships
  outline: FlowOutline
  definitions: WordDefinitions
  /** Whether its pictures are part of the text. Those of headers and footers are logos. */
  showsPictures: boolean
  context: ParseContext
}

/** Yields the blocks of a part, and those of other documents at their places in it. */
async function* partBlocks(word: WordPart): AsyncGenerator<Block, void, undefined> {
  const { file, part, relationships, outline, definitions } = word
  const reader = new WordOutline(outline, definitions, relationships.links)
  async function* take(): AsyncGenerator<Block, void, undefined> {
    for (const each of reader.take()) {
      if ("chunk" in each) yield* chunkBlocks(word, each)
      else if ("kind" in each) yield each
      else if (word.showsPictures) yield* pictureBlocks(word, each)
    }
  }
  for await (const _ of file.steps(part, reader)) yield* take()
  reader.end()
  yield* take()
}

/** Yields the blocks of a document that Word shows as if it were typed in (ECMA-376 part 1, 17.17.2.1). */
async function* chunkBlocks(
  { file, relationships, context }: WordPart,
  { chunk, heading = "" }: WordChunk,
): AsyncGenerator<Block, void, undefined> {
  const target = relationships.parts.find(({ id }) => id === chunk)?.target
  if (target === undefined || !file.has(target)) return
  const name = await getChunkName(file, target)
  try {
    const bytes = await file.bytes(target, maxChunkBytes)
    if (!bytes) throw failure("text_too_long")
    for await (const block of context.embedded({ name, bytes })) yield withinHeading(heading, block)
  } catch (error) {
    if (!(error instanceof ParseFailure)) throw error
    noteSkipped(context, name, error)
  }
}

async function* pictureBlocks(
  { file, relationships, context }: WordPart,
  { picture, location, isHidden }: WordPicture,
): AsyncGenerator<Block, void, undefined> {
  const target = relationships.parts.find(({ id }) => id === picture)?.target
  if (target !== undefined) yield* file.picture({ part: target, location, isHidden }, context)
}

/** Returns the name of a part with an extension that fits its declared type. */
async function getChunkName(file: OfficePackage, part: string): Promise<string> {
  const { base, name, ext } = posix.parse(part)
  let type: string | undefined
  await file.read("[Content_Types].xml", {
    open(element, { PartName: partName, Extension: extension = "", ContentType: contentType }) {
      if (element === "Override" && partName?.toLowerCase() === `/${part}`.toLowerCase()) type = contentType
      else if (element === "Default" && `.${extension}`.toLowerCase() === ext.toLowerCase())
        type ??= contentType
    },
  })
  const declared = chunkTypes.find(([pattern]) => pattern.test(type ?? ""))?.[1]
  return declared === undefined ? base : `${name}.${declared}`
}

/** Word documents as a single XML file, a format of Word 2003 that later versions can still write; often named `.doc`. */
export const wordXml: Parser = {
  async *parse({ file }, context) {
    const read = (handler: XmlHandler) => xmlSteps(readChunks(file), handler)
    const styles = new WordStyles()
    const numbering = new WordNumbering()
    const definitions: XmlHandler = {
      open(name, attributes) {
        styles.open(name, attributes)
        numbering.open(name, attributes)
      },
      close(name) {
        styles.close(name)
        numbering.close(name)
      },
    }
    for await (const _ of read(definitions)); // The definitions may come after the text.
    const hidden = new HiddenText(context)
    const outline = new FlowOutline({}, hidden)
    const reader = new WordOutline(outline, { styles, numbering, hidden })
    const steps = read(reader)
    for (let step = await steps.next(); ; step = await steps.next()) {
      if (step.done) reader.end()
      for (const each of reader.take()) if ("kind" in each) yield each
      if (!step.done) continue
      if (step.value) context.note(reason("xml_damaged"))
      hidden.note(context)
      return
    }
  },
}
