import type { Source } from "../../../../../shared/contract/chat.ts"

/** A cited page or slide, represented by the first of its passages. */
export interface CitedPage {
  unit: "page" | "slide"
  number: number
  source: Source
}

export interface CitedFile {
  /** The passage of the file that is cited first. */
  first: Source
  /** In page order; empty if the file has neither pages nor slides. */
  pages: CitedPage[]
}

/** Groups cited passages by file, in the order of their numbers. */
export function citedFiles(cited: readonly Source[]): CitedFile[] {
  const files = new Map<string, CitedFile>()
  for (const source of cited) {
    const file = files.get(source.fileId) ?? { first: source, pages: [] }
    files.set(source.fileId, file)
    const page = getPage(source)
    if (page && !file.pages.some(({ number }) => number === page.number)) file.pages.push(page)
  }
  for (const { pages } of files.values()) pages.sort((a, b) => a.number - b.number)
  return [...files.values()]
}

function getPage(source: Source): CitedPage | undefined {
  const { page, slide } = source.location
  if (page !== undefined) return { unit: "page", number: page, source }
  return slide === undefined ? undefined : { unit: "slide", number: slide, source }
}
