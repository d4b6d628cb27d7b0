import { takeDataUris } from "../blobs/data-uris.ts"
import { InnerDocuments } from "../blobs/inner-documents.ts"
import { Parser as HtmlTokens } from "htmlparser2"
import { HtmlOutline } from "../html/html-outline.ts"
import type { Block, ParseContext, Parser } from "../parser.ts"
import { readText } from "../text/read-text.ts"
import { createDecoder, detectEncoding } from "../text/text-encoding.ts"
import { unicodeEncoding } from "../text/unicode-encoding.ts"

/** HTML as a reader sees it: headings, paragraphs, list items, tables and preformatted text, without scripts or styles. */
export const html: Parser = {
  async *parse({ file, article }, context) {
    const text = readText(file, declaredEncoding)
    if (article) yield* articleBlocks(text)
    else yield* htmlBlocks(text, context)
  },
}

/** Yields the blocks of the main text only, or of everything if there is no clear main text. */
async function* articleBlocks(chunks: AsyncIterable<string>): AsyncGenerator<Block, void, undefined> {
  const { findArticle } = await import("../html/article.ts")
  let whole = ""
  for await (const chunk of chunks) whole += chunk
  let article: string | undefined
  try {
    article = findArticle(whole)
  } catch {
    // The library is made for well-formed pages. It fails on very large or broken ones, which are read as a whole.
  }
  yield* htmlBlocks([article ?? whole])
}

/** Yields blocks of HTML that arrives in chunks. With a context, also reads documents in its `data:` URIs. */
export async function* htmlBlocks(
  chunks: AsyncIterable<string> | Iterable<string>,
  context?: ParseContext,
): AsyncGenerator<Block, void, undefined> {
  const documents = context && new InnerDocuments()
  const outline = new HtmlOutline()
  const tokens = new HtmlTokens({
    onopentag: (name, attributes) => outline.open(name, attributes),
    ontext: (text) => outline.text(text),
    onclosetag: (name) => outline.close(name),
  })
  for await (const chunk of takeDataUris(chunks, documents)) {
    tokens.write(chunk)
    yield* outline.blocks.splice(0)
  }
  tokens.end()
  outline.end()
  yield* outline.blocks
  if (context && documents) yield* documents.read(context)
}

/** Decodes a complete HTML file in any encoding. */
export async function decodeHtml(bytes: Buffer): Promise<string> {
  const declared = declaredEncoding(bytes.toString("latin1", 0, 4096))
  const decoder = createDecoder(unicodeEncoding(bytes) ?? (await detectEncoding(bytes, declared)))
  return decoder.write(bytes) + decoder.end()
}

/** Returns the charset from a meta element or an XML declaration. */
function declaredEncoding(head: string): string | undefined {
  const meta = /<meta\b[^>]*\bcharset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head)
  return meta?.[1] ?? /^\s*<\?xml[^>]*?\bencoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1]
}
