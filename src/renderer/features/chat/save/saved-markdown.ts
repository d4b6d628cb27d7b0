import { t } from "i18next"
import { citedSources } from "../../../lib/words/cited-sources.ts"
import { originOf } from "./sources.ts"
import type { SavedAnswer } from "./saved-answer.ts"

/** An answer as a Markdown file, with the sources that its numbers mean at the end. */
export function savedMarkdown({ title, text, sources }: SavedAnswer): string {
  const cited = citedSources(text, sources)
  const list = cited.map((source) => `- [${source.citation}] ${originOf(source)}`).join("\n")
  const end = cited.length === 0 ? [] : [`## ${t("saving:sources")}`, list]
  return `${[`# ${title}`, text.trim(), ...end].join("\n\n")}\n`
}
