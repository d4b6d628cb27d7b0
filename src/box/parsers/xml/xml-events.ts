import { SaxesParser } from "saxes"
import { failure } from "../parser.ts"
import { createDecoder } from "../text/text-encoding.ts"
import { unicodeEncoding } from "../text/unicode-encoding.ts"

export type XmlAttributes = Record<string, string>

/** Receives elements by their local names, because producers choose the prefixes. */
export interface XmlHandler {
  open(name: string, attributes: XmlAttributes): void
  close?(name: string): void
  text?(text: string): void
  /** Reads text before the parser does. Text that it doesn't handle must be passed to `parse` in order. */
  readAhead?(parse: (text: string) => void): ReadAhead
}

export interface ReadAhead {
  /** Returns whether anything was read. */
  write(text: string): boolean
  end(): void
}

/** Maximum bytes without the end of a tag, text or comment. Office programs never write more. */
const maxTokenBytes = 2 ** 26
const maxDepth = 5000

/**
 * Feeds the XML of an office file to the handler. Yields after each chunk of bytes, so that the caller can pass on the results so far.
 * Returns the parser's first complaint, if any; parsing continues after an error.
 */
export async function* xmlSteps(
  chunks: AsyncIterable<Buffer>,
  handler: XmlHandler,
): AsyncGenerator<undefined, string | undefined, undefined> {
  const parser = new SaxesParser()
  let complaint: string | undefined
  let sinceToken = 0
  let depth = 0
  parser.on("error", (error) => (complaint ??= error.message))
  parser.on("doctype", (doctype) => {
    if (/<!ENTITY/i.test(doctype)) {
      throw failure("xml_entities_inside")
    }
  })
  parser.on("opentag", ({ name, attributes }) => {
    sinceToken = 0
    if (++depth > maxDepth) throw failure("too_deep")
    handler.open(localName(name), attributes)
  })
  parser.on("closetag", ({ name }) => {
    sinceToken = 0
    depth--
    handler.close?.(localName(name))
  })
  parser.on("text", (text) => handler.text?.(text))
  parser.on("cdata", (text) => handler.text?.(text))
  const ahead = handler.readAhead?.((text) => void parser.write(text))
  const write = (text: string) => {
    if (!ahead) parser.write(text)
    else if (ahead.write(text)) sinceToken = 0
  }
  let decoder: ReturnType<typeof createDecoder> | undefined
  for await (const chunk of chunks) {
    decoder ??= createDecoder(getEncoding(chunk))
    sinceToken += chunk.length
    if (sinceToken > maxTokenBytes) throw failure("text_too_long")
    write(decoder.write(chunk))
    yield
  }
  write(decoder?.end() ?? "")
  if (ahead) {
    ahead.end()
    yield // It may have held back the last elements.
  }
  parser.close()
  return complaint
}

/** Returns an attribute by its local name. */
export function attribute(attributes: XmlAttributes, name: string): string | undefined {
  const plain = attributes[name]
  if (plain !== undefined) return plain
  for (const key in attributes) {
    if (key.endsWith(name) && key[key.length - name.length - 1] === ":") return attributes[key]
  }
  return undefined
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1)
}

function getEncoding(head: Buffer): string {
  const declared = /^\s*<\?xml[^>]*?\bencoding\s*=\s*["']([\w.:-]+)/i.exec(head.toString("latin1", 0, 200))
  const unicode = unicodeEncoding(head)
  if (unicode) return unicode
  try {
    return declared?.[1] ? new TextDecoder(declared[1]).encoding : "utf-8"
  } catch {
    return "utf-8" // An unknown name: XML is UTF-8 unless it declares otherwise.
  }
}
