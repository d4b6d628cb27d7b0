import { posix } from "node:path"
import { reason } from "../../../shared/contract/file-reasons.ts"
import type { Location } from "../../../shared/contract/location.ts"
import type { DocumentFile } from "../document/document-file.ts"
import { parseDocumentDate } from "../document/document-properties.ts"
import { type Block, type ParseContext, failure, maxPictureBytes, ParseFailure } from "../parser.ts"
import { readPicture } from "../pictures/read-picture.ts"
import { xmlSteps, type XmlHandler } from "../xml/xml-events.ts"
import { loadPicture, ZipArchive } from "../zip/zip-archive.ts"

/** A picture that a document shows, by its part in the package. */
export interface PartPicture {
  part: string
  location: Location
  /** Whether this place of the document is hidden. */
  isHidden: boolean
}

/** A zip file of XML parts: Office Open XML or OpenDocument. */
export class OfficePackage {
  readonly #archive: ZipArchive
  readonly #context: Pick<ParseContext, "note">
  #complained = false

  private constructor(archive: ZipArchive, context: Pick<ParseContext, "note">) {
    this.#archive = archive
    this.#context = context
  }

  /** Throws `ParseFailure` when the file isn't a complete zip file. */
  static async open(file: DocumentFile, context: Pick<ParseContext, "note">): Promise<OfficePackage> {
    return new OfficePackage(await ZipArchive.open(file), context)
  }

  has(part: string): boolean {
    return this.#archive.has(part)
  }

  /** The names of all parts. */
  get parts(): string[] {
    return this.#archive.list.map(({ fileName }) => fileName)
  }

  /** Yields the bytes of a part that will be read again. */
  preview(part: string): AsyncIterable<Buffer> {
    return this.#archive.read(part, true)
  }

  /** Returns how a part that will be read again begins. */
  async head(part: string): Promise<string> {
    for await (const chunk of this.preview(part)) return chunk.toString("latin1", 0, 1000)
    return ""
  }

  /** Feeds a part to the handler in steps. Does nothing if the part doesn't exist. */
  async *steps(part: string, handler: XmlHandler): AsyncGenerator<undefined, void, undefined> {
    const complaint = yield* xmlSteps(this.#archive.read(part), handler)
    if (complaint === undefined || this.#complained || !this.has(part)) return
    this.#complained = true
    this.#context.note(reason("xml_part_damaged", { part }))
  }

  /** Returns the bytes of a part; undefined if there are more than `limit`. */
  async bytes(part: string, limit: number): Promise<Buffer | undefined> {
    const chunks: Buffer[] = []
    let length = 0
    for await (const chunk of this.#archive.read(part)) {
      length += chunk.length
      if (length > limit) return undefined
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  }

  /** Yields a block for a picture, if pictures are wanted. Its key is the name of its part. */
  async *picture(
    { part, location, isHidden }: PartPicture,
    { pictures }: Pick<ParseContext, "pictures">,
  ): AsyncGenerator<Block, void, undefined> {
    if (!pictures || !this.has(part)) return
    yield* pictures.see({
      key: part,
      location,
      isHidden,
      load: (maxBytes) => loadPicture(this.#archive, part, maxBytes),
    })
  }

  /** Yields the text in a picture with this key. */
  async *pictureText(
    key: string,
    context: Pick<ParseContext, "ocr">,
  ): AsyncGenerator<Block, void, undefined> {
    yield* readPicture(await loadPicture(this.#archive, key, maxPictureBytes), context)
  }

  /** Feeds a whole part to the handler. */
  async read(part: string, handler: XmlHandler): Promise<void> {
    for await (const _ of this.steps(part, handler));
  }
}

export interface Relationship {
  id: string
  /** The last segment of its type URI: `slide`, `styles`, `chart`, … */
  type: string
  /** Name of the target part. */
  target: string
}

/** Returns the parts to which a part refers, in listed order (ECMA-376 part 2, 9.3). */
export async function getRelationships(file: OfficePackage, part: string): Promise<Relationship[]> {
  return (await readRelationships(file, part)).parts
}

/** Returns the parts to which a part refers, and its links out of the package: from their ids to their targets. */
export async function readRelationships(
  file: OfficePackage,
  part: string,
): Promise<{ parts: Relationship[]; links: Map<string, string> }> {
  const directory = posix.dirname(part)
  const parts: Relationship[] = []
  const links = new Map<string, string>()
  const relationships = posix.join(directory, "_rels", `${posix.basename(part)}.rels`)
  if (!file.has(relationships)) return { parts, links }
  await file.read(relationships, {
    open(name, { Id: id = "", Type: type = "", Target: target = "", TargetMode: mode }) {
      if (name !== "Relationship") return
      if (mode === "External") return void links.set(id, target)
      parts.push({
        id,
        type: type.slice(type.lastIndexOf("/") + 1),
        target: target.startsWith("/") ? target.slice(1) : posix.join(directory, target),
      })
    },
  })
  return { parts, links }
}

/** Maximum size of the part with an Office document's properties. */
const maxPropertiesBytes = 2 ** 18

/** Reports when an Office document was created (ECMA-376 part 2, 11; ODF 1.3 part 3, 4.3). A damaged part is as good as none. */
export async function describePackage(
  file: OfficePackage,
  context: Pick<ParseContext, "describe">,
): Promise<void> {
  const part = ["docProps/core.xml", "meta.xml"].find((name) => file.has(name))
  if (part === undefined) return
  const xml = await file.bytes(part, maxPropertiesBytes).catch((error: unknown) => {
    if (error instanceof ParseFailure) return undefined
    throw error
  })
  const found = /<(?:[\w.-]+:)?(?:created|creation-date)\b[^>]*>([^<]{1,60})</.exec(xml?.toString() ?? "")
  context.describe({ date: parseDocumentDate(found?.[1]) })
}

/** Returns the package's main part, or `usual` if the package doesn't name one. */
export async function mainPart(file: OfficePackage, usual: string): Promise<string> {
  const main = (await getRelationships(file, "")).find(({ type }) => type === "officeDocument")
  return main && file.has(main.target) ? main.target : usual
}

/** Opens an OpenDocument file. Throws `ParseFailure` when it isn't one or is encrypted (ODF 1.3 part 2, 3.4). */
export async function openDocumentPackage(
  bytes: DocumentFile,
  context: Pick<ParseContext, "note">,
): Promise<OfficePackage> {
  const file = await OfficePackage.open(bytes, context)
  let encrypted = false
  await file.read("META-INF/manifest.xml", {
    open: (name) => (encrypted ||= name === "encryption-data"),
  })
  if (encrypted) throw failure("encrypted")
  if (!file.has("content.xml")) {
    throw failure("not_open_document")
  }
  return file
}
