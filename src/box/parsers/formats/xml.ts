import { SaxesParser } from "saxes"
import { reason } from "../../../shared/contract/file-reasons.ts"
import { InnerDocuments } from "../blobs/inner-documents.ts"
import { failure } from "../parser.ts"
import type { Parser } from "../parser.ts"
import { readText } from "../text/read-text.ts"
import { XmlOutline } from "../xml/xml-outline.ts"

/**
 * XML of any kind, as lines such as `author: Ada`. A document type definition that declares entities or refers to another file is refused.
 * One that only names a public vocabulary is accepted but never fetched.
 */
export const xml: Parser = {
  async *parse({ file }, context) {
    const documents = new InnerDocuments()
    const outline = new XmlOutline(documents)
    const parser = new SaxesParser()
    let complaint: string | undefined
    parser.on("error", (error) => (complaint ??= error.message))
    parser.on("doctype", refuseDangerous)
    parser.on("opentag", ({ name, attributes }) => outline.open(name, attributes, parser.line))
    parser.on("closetag", () => outline.close())
    parser.on("text", (text) => outline.text(text))
    parser.on("cdata", (text) => outline.text(text))
    let found = false
    for await (const chunk of readText(file, declaredEncoding)) {
      parser.write(chunk)
      found ||= outline.blocks.length > 0
      yield* outline.blocks.splice(0)
      yield* documents.read(context)
    }
    parser.close()
    outline.end()
    found ||= outline.blocks.length > 0
    yield* outline.blocks
    yield* documents.read(context)
    if (!complaint) return
    if (!found) throw failure("not_well_formed_xml", { place: complaint })
    context.note(reason("xml_not_well_formed", { place: complaint }))
  },
}

function declaredEncoding(head: string): string | undefined {
  return /^\s*<\?xml[^>]*?\bencoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1]
}

function refuseDangerous(doctype: string): void {
  if (/<!ENTITY/i.test(doctype)) {
    throw failure("xml_entities")
  }
  if (/["']\s*file:/i.test(doctype)) {
    throw failure("xml_points_elsewhere")
  }
}
