import { t } from "i18next"
import { citedSources } from "../../../lib/words/cited-sources.ts"
import { originOf } from "./sources.ts"
import { foreignParts, wordsOf } from "./read-markdown.ts"
import type { SavedAnswer } from "./saved-answer.ts"

/**
 * An answer as a Markdown file, with the sources that its numbers mean at the end. Whoever opens it elsewhere fetches no
 * picture and carries out no HTML that a document or a model brought in.
 */
export function savedMarkdown({ title, text, sources }: SavedAnswer): string {
  const cited = citedSources(text, sources)
  const list = cited.map((source) => `- [${source.citation}] ${escaped(originOf(source))}`).join("\n")
  const end = cited.length === 0 ? [] : [`## ${t("saving:sources")}`, list]
  return `${[`# ${escaped(title)}`, harmless(text).trim(), ...end].join("\n\n")}\n`
}

const escaped = (words: string): string =>
  words.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_<[\]]|&(?=[#\w]+;)/g, String.raw`\$&`)

/** What stood around a picture may make another one once it is a name; so often it is looked at again. */
const mostPasses = 3

/** Its pictures as their names, its HTML as text. */
function harmless(markdown: string, passes = mostPasses): string {
  const parts = foreignParts(markdown)
  if (parts.length === 0) return markdown
  // Only what is made for it comes to this: without these signs there is no HTML, and no picture.
  if (passes === 0) return markdown.replaceAll("<", "&lt;").replaceAll("![", "&#33;[")
  let text = ""
  let from = 0
  for (const { node, start, end } of parts) {
    text += markdown.slice(from, start) + escaped(wordsOf(node))
    from = end
  }
  return harmless(text + markdown.slice(from), passes - 1)
}
