import { Parser } from "htmlparser2"

/** Text that an engine sends with HTML for its emphasis. */
export function plainText(html: string): string {
  let text = ""
  const parser = new Parser({ ontext: (piece) => (text += piece) })
  parser.end(html)
  return text
}
