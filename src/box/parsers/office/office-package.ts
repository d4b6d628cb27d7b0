import { reason } from "../../../shared/contract/file-reasons.ts"
import type { DocumentFile } from "../document/document-file.ts"
import type { ParseContext } from "../parser.ts"
import { xmlSteps } from "../xml/xml-events.ts"
import type { XmlHandler } from "../xml/xml-events.ts"
import { ZipArchive } from "../zip/zip-archive.ts"

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

  /** Feeds a part to the handler in steps. Does nothing if the part doesn't exist. */
  async *steps(part: string, handler: XmlHandler): AsyncGenerator<undefined, void, undefined> {
    const complaint = yield* xmlSteps(this.#archive.read(part), handler)
    if (complaint === undefined || this.#complained || !this.has(part)) return
    this.#complained = true
    this.#context.note(reason("xml_part_damaged", { part }))
  }

  /** Feeds a whole part to the handler. */
  async read(part: string, handler: XmlHandler): Promise<void> {
    for await (const _ of this.steps(part, handler));
  }
}
