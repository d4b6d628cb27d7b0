import { isWhole, type CoveredFile } from "../../../../../shared/coverage.ts"
import { toPageLanguage } from "../../../../lib/words/sentence.ts"

/** Returns why a file wasn't read completely, in the page's language if the reason's parts are known. */
export function whySkipped({ skipped, sentences = [] }: CoveredFile): string | null {
  const said = sentences.map((sentence) => toPageLanguage("", sentence))
  return said.length === 0 || said.includes("") ? skipped : said.join(" ")
}

/** Returns the reason shared by all files that weren't read completely. Null if the reasons differ or nothing is missing. */
export function commonReason(files: readonly CoveredFile[]): string | null {
  const reasons = new Set(files.filter((file) => !isWhole(file)).map((file) => whySkipped(file)))
  const [reason = null] = reasons
  return reasons.size === 1 ? reason : null
}
