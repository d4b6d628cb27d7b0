import { Parser as HtmlTokens } from "htmlparser2"
import { HtmlOutline } from "./html/html-outline.ts"
import type { Block, Parser } from "./parser.ts"
import { readText } from "./text/read-text.ts"

/** HTML as a reader sees it: headings, paragraphs, list items, tables and preformatted text; no scripts or styles. */
export const html: Parser = { parse: ({ path }) => htmlBlocks(readText(path, declaredEncoding)) }

/** Blocks of HTML that comes in chunks. */
export async function* htmlBlocks(
  chunks: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<Block, void, undefined> {
  const outline = new HtmlOutline()
  const tokens = new HtmlTokens({
    onopentag: (name, attributes) => outline.open(name, attributes),
    ontext: (text) => outline.text(text),
    onclosetag: (name) => outline.close(name),
  })
  for await (const chunk of chunks) {
    tokens.write(chunk)
    yield* outline.blocks.splice(0)
  }
  tokens.end()
  outline.end()
  yield* outline.blocks
}

/** The charset of a meta element, or of an XML declaration. */
export function declaredEncoding(head: string): string | undefined {
  const meta = /<meta\b[^>]*\bcharset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head)
  return meta?.[1] ?? /^\s*<\?xml[^>]*?\bencoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1]
}
