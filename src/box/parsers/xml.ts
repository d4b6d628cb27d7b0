import { SaxesParser } from "saxes"
import { ParseFailure } from "./parser.ts"
import type { Parser } from "./parser.ts"
import { readText } from "./text/read-text.ts"
import { XmlOutline } from "./xml/xml-outline.ts"

/**
 * XML of any kind, as lines like `author: Ada`. A document type definition that declares entities or points to
 * another file is refused; one that only names a public vocabulary is never fetched.
 */
export const xml: Parser = {
  async *parse({ path }, context) {
    const outline = new XmlOutline()
    const parser = new SaxesParser()
    let complaint: string | undefined
    parser.on("error", (error) => (complaint ??= error.message))
    parser.on("doctype", refuseDangerous)
    parser.on("opentag", ({ name, attributes }) => outline.open(name, attributes, parser.line))
    parser.on("closetag", () => outline.close())
    parser.on("text", (text) => outline.text(text))
    parser.on("cdata", (text) => outline.text(text))
    let found = false
    for await (const chunk of readText(path, declaredEncoding)) {
      parser.write(chunk)
      found ||= outline.blocks.length > 0
      yield* outline.blocks.splice(0)
    }
    parser.close()
    outline.end()
    found ||= outline.blocks.length > 0
    yield* outline.blocks
    if (!complaint) return
    if (!found) throw new ParseFailure(`This isn't well-formed XML (line and column ${complaint}).`)
    context.note(
      `The XML isn't well-formed (line and column ${complaint}); it was read as far as it makes sense.`,
    )
  },
}

function declaredEncoding(head: string): string | undefined {
  return /^\s*<\?xml[^>]*?\bencoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1]
}

function refuseDangerous(doctype: string): void {
  if (/<!ENTITY/i.test(doctype)) {
    throw new ParseFailure(
      "This XML declares entities of its own, which is how XML bombs are made. Remove its DOCTYPE.",
    )
  }
  if (/["']\s*file:/i.test(doctype)) {
    throw new ParseFailure("This XML points to another file of the computer. Remove its DOCTYPE.")
  }
}
