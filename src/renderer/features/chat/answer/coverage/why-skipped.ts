import { isWhole, type CoveredFile } from "../../../../../shared/coverage.ts"
import { inPageLanguage } from "../../../../lib/words/sentence.ts"

/** Why not all of a file was read, in the page's language where it is known what it is made of. */
export function whySkipped({ skipped, sentences = [] }: CoveredFile): string | null {
  const said = sentences.map((sentence) => inPageLanguage("", sentence))
  return said.length === 0 || said.includes("") ? skipped : said.join(" ")
}

/** The reason that all files have which weren't read whole; null where they differ, or nothing is missing. */
export function commonReason(files: readonly CoveredFile[]): string | null {
  const reasons = new Set(files.filter((file) => !isWhole(file)).map((file) => whySkipped(file)))
  const [reason = null] = reasons
  return reasons.size === 1 ? reason : null
}
