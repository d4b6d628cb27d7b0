import type { Source } from "../../../../../shared/contract/chat.ts"

/** A page or slide that is cited, by the first of its passages. */
export interface CitedPage {
  unit: "page" | "slide"
  number: number
  source: Source
}

export interface CitedFile {
  /** Its passage that is cited first. */
  first: Source
  /** In their order; none where the file has neither pages nor slides. */
  pages: CitedPage[]
}

/** Cited passages by their files, in the order in which they are numbered. */
export function citedFiles(cited: readonly Source[]): CitedFile[] {
  const files = new Map<string, CitedFile>()
  for (const source of cited) {
    const file = files.get(source.fileId) ?? { first: source, pages: [] }
    files.set(source.fileId, file)
    const page = pageOf(source)
    if (page && !file.pages.some(({ number }) => number === page.number)) file.pages.push(page)
  }
  for (const { pages } of files.values()) pages.sort((a, b) => a.number - b.number)
  return [...files.values()]
}

function pageOf(source: Source): CitedPage | undefined {
  const { page, slide } = source.location
  if (page !== undefined) return { unit: "page", number: page, source }
  return slide === undefined ? undefined : { unit: "slide", number: slide, source }
}
