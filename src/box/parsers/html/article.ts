import { Readability } from "@mozilla/readability"
import { parseHTML } from "linkedom"

/** Elements that a page may have for its main text to be looked for; larger ones are read as a whole. */
const mostElements = 50_000

/**
 * The main text of a web page as HTML, with its title; undefined where none stands out, such as on a list of links.
 * Hostile pages can make this slow: it runs in a parser process only.
 */
export function findArticle(html: string): string | undefined {
  const { document } = parseHTML(/<body[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`)
  const article = new Readability(document, { maxElemsToParse: mostElements }).parse()
  if (!article?.content) return undefined
  const title = document.createElement("h1")
  title.textContent = article.title ?? ""
  const repeated = article.textContent?.trimStart().startsWith(title.textContent)
  return repeated ? article.content : `${title.outerHTML}${article.content}`
}
