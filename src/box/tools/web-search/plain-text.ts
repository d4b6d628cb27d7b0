import { Parser } from "htmlparser2"

/** Removes the HTML that an engine uses to emphasise text. */
export function plainText(html: string): string {
  let text = ""
  const parser = new Parser({ ontext: (piece) => (text += piece) })
  parser.end(html)
  return text
}
