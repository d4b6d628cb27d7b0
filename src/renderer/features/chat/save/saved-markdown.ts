import { t } from "i18next"
import { citedSources } from "../../../lib/words/cited-sources.ts"
import { getOrigin, foreignParts, extractText, type SavedAnswer } from "./read-answer.ts"

/**
 * Returns an answer as a Markdown file that ends with the cited sources. Opening the file loads no images and runs no HTML from a document
 * or a model.
 */
export function savedMarkdown({ title, text, sources }: SavedAnswer): string {
  const cited = citedSources(text, sources)
  const list = cited.map((source) => `- [${source.citation}] ${escaped(getOrigin(source))}`).join("\n")
  const end = cited.length === 0 ? [] : [`## ${t("saving:sources")}`, list]
  return `${[`# ${escaped(title)}`, harmless(text).trim(), ...end].join("\n\n")}\n`
}

const escaped = (words: string): string =>
  words.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_<[\]]|&(?=[#\w]+;)/g, String.raw`\$&`)

/** Replacing an image by its name may form another image from the text around it, so the text is checked this many times. */
const maxPasses = 3

/** Replaces images by their names and HTML by text. */
function harmless(markdown: string, passes = maxPasses): string {
  const parts = foreignParts(markdown)
  if (parts.length === 0) return markdown
  // Only crafted text gets this far. Without these characters, it can't form HTML or an image.
  if (passes === 0) return markdown.replaceAll("<", "&lt;").replaceAll("![", "&#33;[")
  let text = ""
  let from = 0
  for (const { node, start, end } of parts) {
    text += markdown.slice(from, start) + escaped(extractText(node))
    from = end
  }
  return harmless(text + markdown.slice(from), passes - 1)
}
