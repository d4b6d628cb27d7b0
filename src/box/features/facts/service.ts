import type { Coverage } from "../../../shared/contract/chat.ts"
import type { Fact, FactKind, FileOverview, FolderTerm, KeyTerm } from "../../../shared/contract/facts.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { yieldToEventLoop } from "../../core/waiting/yield-to-event-loop.ts"
import { createSemaphore } from "../../core/waiting/locks.ts"
import type { Block } from "../../parsers/parser.ts"
import { createFactCollector, isAmount, isDate, maxFactsPerFile, sentenceAround } from "./collect-facts.ts"
import {
  scanFile,
  type CoverageScan,
  type FileCoverage,
  type FactFile,
  type FactLibrary,
} from "./scan-file.ts"
import { createOutline } from "../../parsers/ranges/outline.ts"
import {
  createTermCounter,
  type CountedTerm,
  createFolderCounter,
  type FolderTerms,
  rankTerms,
} from "./terms/terms.ts"

export interface FactsOfFolder {
  facts: Fact[]
  /** Cursor of the next page; null at the end. */
  next: string | null
  /** Coverage of the files that this page completes. */
  coverage: Coverage
}

/** A request about a folder. The signal aborts it. */
export interface FactsQuestion {
  userId: string
  folderId: string
  signal: AbortSignal
}

export interface FactsQuery {
  kind: FactKind
  limit: number
  after?: string | undefined
}

/** Finds what documents contain without a model: outline, key terms, dates and amounts. */
export interface Facts {
  overview(question: FactsQuestion, fileId: string): Promise<FileOverview>
  list(question: FactsQuestion, query: FactsQuery): Promise<FactsOfFolder>
  terms(question: FactsQuestion): Promise<{ terms: FolderTerm[]; looked: number; of: number }>
}

/** Maximum number of characters read per file, more than any book has. */
const maxCharacters = 16_000_000
const maxForTerms = 2_000_000
/** Maximum number of each kind in an overview. */
const maxInOverview = 500
/** After this time, a request starts no further file. */
const answerMs = 2_000
/** Sample of a folder that is used to find its common terms. */
const sampled = { files: 100, charactersEach: 30_000 }
const maxCachedFolders = 4

export const createFacts = (library: FactLibrary): Facts => new FactService(library)

class FactService implements Facts {
  readonly #library: FactLibrary
  readonly #folderTerms: SampledTerms
  readonly #semaphore = createSemaphore({
    slots: () => 2,
    slotsEach: 1,
    maxWaiting: 50,
    maxWaitingEach: 10,
  })

  constructor(library: FactLibrary) {
    this.#library = library
    this.#folderTerms = new SampledTerms(library)
  }

  overview(question: FactsQuestion, fileId: string): Promise<FileOverview> {
    return this.#run(question, () => this.#overview(question, fileId))
  }

  list(question: FactsQuestion, query: FactsQuery): Promise<FactsOfFolder> {
    return this.#run(question, () => this.#list(question, query))
  }

  terms(question: FactsQuestion): ReturnType<Facts["terms"]> {
    return this.#run(question, async () => {
      const files = await this.#library.files(question.userId, question.folderId)
      const { terms, spread } = await this.#folderTerms.get(question, files)
      return { terms, looked: spread.documents, of: files.length }
    })
  }

  #run<T>({ userId, signal }: FactsQuestion, work: () => Promise<T>): Promise<T> {
    return this.#semaphore.run(signal, userId, work)
  }

  async #overview(question: FactsQuestion, fileId: string): Promise<FileOverview> {
    const { userId, folderId } = question
    const file = await this.#library.file(userId, folderId, fileId)
    const outline = createOutline()
    const counter = createTermCounter()
    const collector = createFactCollector(file)
    const budget = createCharacterBudget(maxCharacters)
    const termBudget = createCharacterBudget(maxForTerms)
    const coverage = await this.#scan(question, file, (block, number) => {
      const stopReason = budget.take(block.text)
      if (stopReason) return stopReason
      outline.visit(block, number)
      if (!collector.isFull) collector.visit(block, number)
      if (!termBudget.take(block.text)) counter.visit(block, number)
      return null
    })
    const { spread } = await this.#folderTerms.get(question, await this.#library.files(userId, folderId))
    const facts = collector.facts()
    const dates = facts.filter(isDate)
    const amounts = facts.filter(isAmount)
    return {
      outline: outline.outline,
      terms: rankTerms(counter.terms(), spread).map(keyTerm),
      dates: dates.slice(0, maxInOverview),
      amounts: amounts.slice(0, maxInOverview),
      truncated: collector.isFull || Math.max(dates.length, amounts.length) > maxInOverview,
      coverage,
    }
  }

  async #list(question: FactsQuestion, { kind, limit, after }: FactsQuery): Promise<FactsOfFolder> {
    const files = await this.#library.files(question.userId, question.folderId)
    const from = parseCursor(after)
    const facts: Fact[] = []
    const covered: FileCoverage[] = []
    const answer = (next: string | null) => ({
      facts,
      next,
      coverage: { files: covered, complete: covered.every(({ skipped }) => skipped === null) },
    })
    const began = performance.now()
    for (const file of files.filter(({ id }) => id >= from.fileId)) {
      const passed = file.id === from.fileId ? from.passed : 0
      const isLate = covered.length > 0 && performance.now() - began > answerMs
      if (facts.length >= limit || isLate) return answer(`${file.id}+${passed}`)
      const { facts: all, coverage } = await this.#getFacts(question, file)
      const wanted = all.filter(kinds[kind])
      const some = wanted.slice(passed, passed + limit - facts.length)
      facts.push(...some)
      if (passed + some.length < wanted.length) return answer(`${file.id}+${passed + some.length}`)
      covered.push(coverage)
    }
    return answer(null)
  }

  async #getFacts(
    question: FactsQuestion,
    file: FactFile,
  ): Promise<{ facts: Fact[]; coverage: FileCoverage }> {
    const collector = createFactCollector(file)
    const budget = createCharacterBudget(maxCharacters)
    const coverage = await this.#scan(question, file, (block, number) => {
      const stopReason = collector.isFull
        ? sentence("facts.too_many", { count: maxFactsPerFile })
        : budget.take(block.text)
      if (!stopReason) collector.visit(block, number)
      return stopReason
    })
    return { facts: collector.facts(), coverage }
  }

  #scan(
    { userId, folderId, signal }: FactsQuestion,
    file: FactFile,
    visit: CoverageScan["visit"],
  ): Promise<FileCoverage> {
    return scanFile(file, { blocks: () => this.#library.blocks(userId, folderId, file.id), signal, visit })
  }
}

/** Finds the common terms of folders in a sample of their files, and caches them until the sample changes. */
class SampledTerms {
  readonly #library: Pick<FactLibrary, "blocks">
  /** Least recently used first. */
  readonly #kept = new Map<string, { version: string; terms: FolderTerms }>()

  constructor(library: Pick<FactLibrary, "blocks">) {
    this.#library = library
  }

  async get(question: FactsQuestion, files: readonly FactFile[]): Promise<FolderTerms> {
    const kept = this.#kept
    const sample = evenly(
      files.filter(({ status }) => status === "completed"),
      sampled.files,
    )
    const version = sample.map(({ id, updatedAt }) => `${id} ${updatedAt}`).join()
    const known = kept.get(question.folderId)
    const terms = known?.version === version ? known.terms : await this.#count(question, sample)
    kept.delete(question.folderId)
    kept.set(question.folderId, { version, terms })
    for (const [oldest] of kept) if (kept.size > maxCachedFolders) kept.delete(oldest)
    return terms
  }

  async #count(question: FactsQuestion, sample: readonly FactFile[]): Promise<FolderTerms> {
    const counter = createFolderCounter()
    for (const file of sample) counter.add(await this.#collect(question, file))
    return counter.result()
  }

  /** Returns the terms at a file's start, or none if the file is gone or is being changed. */
  async #collect({ userId, folderId, signal }: FactsQuestion, { id }: FactFile): Promise<CountedTerm[]> {
    const counter = createTermCounter()
    try {
      for await (const { block, number } of readStart(await this.#library.blocks(userId, folderId, id))) {
        await yieldToEventLoop()
        signal.throwIfAborted()
        counter.visit(block, number)
      }
    } catch (error) {
      if (error instanceof AppError && ["conflict", "not_found"].includes(error.code)) return []
      throw error
    }
    return counter.terms()
  }
}

const kinds: Record<FactKind, (fact: Fact) => boolean> = {
  dates: isDate,
  amounts: isAmount,
  deadlines: (fact) => isDate(fact) && fact.isDeadline,
}

/** A budget of characters. Returns the reason when a text no longer fits. */
function createCharacterBudget(characters: number) {
  let left = characters
  return {
    take(text: string) {
      left -= text.length
      return left < 0 ? sentence("facts.too_long", { count: characters }) : null
    },
  }
}

async function* readStart(text: AsyncIterable<Block[]>): AsyncGenerator<{ block: Block; number: number }> {
  const budget = createCharacterBudget(sampled.charactersEach)
  let number = 0
  for await (const some of text)
    for (const block of some) {
      if (budget.take(block.text)) return
      yield { block, number: number++ }
    }
}

/** Returns the file of a cursor, and how many of its facts were already returned. */
function parseCursor(after: string | undefined): { fileId: string; passed: number } {
  const [fileId = "", passed = "0"] = after?.split("+") ?? []
  return { fileId, passed: Number(passed) }
}

/** Returns at most so many items, evenly spaced. */
function evenly<T>(all: readonly T[], max: number): T[] {
  const step = Math.max(1, all.length / max)
  return all.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step)).slice(0, max)
}

const keyTerm = ({ form, count, occurrences }: CountedTerm): KeyTerm => ({
  term: form,
  count,
  places: occurrences.map(({ block, number, start, end }) => ({
    block: number,
    location: block.location,
    sentence: sentenceAround(block, start, end),
  })),
})
