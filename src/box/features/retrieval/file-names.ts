import type { FileSelection } from "../../engines/vectors/passage-index.ts"
import { analysePassages, analyseQuery } from "../../engines/vectors/text/search-text.ts"

/** File name lookups that search needs. */
export interface FileNames {
  /** Files whose names contain some of the words, each given in several forms. These are candidates. */
  holding(
    this: void,
    words: string[][],
    vectorIds: string[],
    files?: FileSelection,
  ): Promise<{ fileId: string; name: string }[]>
  /** The first passage of each file. Files without passages are left out. */
  findFirstPassages(this: void, fileIds: string[]): Promise<{ id: string; fileId: string }[]>
}

/** How well a file's name matches a question. */
export interface NameMatch {
  /** Share of the question's words that the name contains, 0–1. */
  coverage: number
  /** The words that the name contains, each in its forms. */
  held: string[][]
  /** Number of the question's words that are in any name: "contract" and "Rossi", not "notice" and "period". */
  nameable: number
  /** Rank among the names, from 1. */
  rank: number
}

/** `report.pdf` in a question is about the report, not about PDF. */
const extension = /\.\p{L}[\p{L}\p{N}]{0,7}(?![\p{L}\p{N}])/gu
const betweenNames = /(?:[\s"'“”„«»‹›?!,;:()]|\.(?!\S))+/gu

/** File names that match the question: by file, best first. */
export async function matchNames(
  query: string,
  vectorIds: string[],
  { holding }: Pick<FileNames, "holding">,
  files?: FileSelection,
): Promise<Map<string, NameMatch>> {
  const words = analyseQuery(query.replace(extension, " ")).groups.filter(isPlain)
  const named = await holding([...words, ...verbatimWords(query)], vectorIds, files)
  if (named.length === 0) return new Map()
  const names = await analysePassages(named.map(({ name }) => name.replace(/\.[^.]*$/, "")))
  const terms = names.map(({ words, grams }) => new Set(`${words ?? ""} ${grams ?? ""}`.split(" ")))
  const nameable = words.filter((forms) => terms.some((known) => isIn(known, forms))).length
  const asked = spaced(query)
  const matches = named.map(({ fileId, name }, index) => {
    const held = words.filter((forms) => isIn(terms[index], forms))
    const coverage = asked.includes(spaced(name)) ? 1 : held.length / Math.max(1, words.length)
    return { fileId, coverage, held, length: name.length }
  })
  return new Map(
    matches
      .filter(({ coverage }) => coverage > 0)
      .sort((a, b) => b.coverage - a.coverage || a.length - b.length)
      .map(({ fileId, coverage, held }, index) => [fileId, { coverage, held, nameable, rank: index + 1 }]),
  )
}

/** Whether these are real words, not terms added for search, such as starts of compounds and whole identifiers. */
const isPlain = (forms: readonly string[]) => !/^[\^=_]/.test(forms[0] ?? "")

const isIn = (known: ReadonlySet<string> | undefined, forms: readonly string[]) =>
  known !== undefined && forms.some((form) => known.has(form))

/** Words as written, for cases in which analysis changes them, such as ß to ss. */
const verbatimWords = (query: string) =>
  (query.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).filter((word) => /[^ -~]/.test(word)).map((word) => [word])

const spaced = (text: string) => ` ${text.normalize("NFKC").toLowerCase().replace(betweenNames, " ").trim()} `
