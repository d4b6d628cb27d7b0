import { Readability } from "@mozilla/readability"
import { parseHTML } from "linkedom"

/** Maximum elements on a page for which the main text is searched. Larger pages are read as a whole. */
const maxElements = 50_000

/**
 * Returns the main text of a web page as HTML, with its title; undefined if there is no clear main text, as on a list of links. Run it only
 * in a parser process, because hostile pages can make it slow.
 */
export function findArticle(html: string): string | undefined {
  const { document } = parseHTML(/<body[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`)
  const article = new Readability(document, { maxElemsToParse: maxElements }).parse()
  if (!article?.content) return undefined
  const title = document.createElement("h1")
  title.textContent = article.title ?? ""
  const repeated = article.textContent?.trimStart().startsWith(title.textContent)
  return repeated ? article.content : `${title.outerHTML}${article.content}`
}
