import type { AmountFact, DateFact, Fact } from "../../../shared/contract/facts.ts"
import {
  findAmounts,
  findColumnCurrency,
  parseCellAmount,
  type FoundAmount,
} from "../../core/amounts/find-amounts.ts"
import { createDayOrder, findDates } from "../../core/dates/find-dates.ts"
import { detectLanguage } from "../../engines/vectors/text/languages.ts"
import type { Block } from "../../parsers/parser.ts"
import { isDeadline } from "./dates/deadline-words.ts"

/** Number of characters that are examined on each side. */
const maxContextLength = 240

/** Returns the sentence that contains a range of a block, its row, or as much as may be shown, with single spaces. */
export function sentenceAround(
  { kind, text }: Pick<Block, "kind" | "text">,
  start: number,
  end: number,
): string {
  const isRow = kind === "table-row" || kind === "table-header"
  const first = Math.max(0, start - maxContextLength)
  const last = Math.min(text.length, end + maxContextLength)
  const from = isRow ? first : (endsBetween(text, first, start).at(-1) ?? first)
  const to = isRow ? last : (endsBetween(text, end, last)[0] ?? last)
  return whole(text.slice(from, to)).replaceAll(/\s+/g, " ").trim()
}

const mayEnd = /[.!?;]["”»)]?\s+|\n[^\S\n]{0,20}\n|\n(?=[-•*] )/g

/** A full stop after a short word or number is more likely part of "1. May", "art. 3" or "Mr. X". */
const isEnd = (found: string, before: string) =>
  !found.startsWith(".") || /(?:\p{L}{4}|\d{4}|[)"”»])$/u.test(before)

const endsBetween = (text: string, from: number, to: number): number[] =>
  [...text.slice(from, to).matchAll(mayEnd)]
    .map(({ 0: found, index }) => ({ found, at: from + index }))
    .filter(({ found, at }) => isEnd(found, text.slice(Math.max(0, at - 4), at)))
    .map(({ found, at }) => at + found.length)

/** Removes half of a surrogate pair at either end. */
const whole = (text: string) => text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "")

/** Maximum number of facts per file. */
export const maxFactsPerFile = 10_000
/** Number of characters at a document's start that are used to detect its language. */
const sampleCharacters = 20_000
const minVotes = 3
const joint = " | "

/** Collects the dates and amounts of a document, block by block. */
export function createFactCollector({ id, name }: { id: string; name: string }) {
  const found: (Fact & { monthFirst?: string | null })[] = []
  const order = createDayOrder(() => detectLanguage(sample.toLowerCase().match(/\p{L}+/gu) ?? [], minVotes))
  let sample = ""
  let head: string[] = []
  /** The currency that each column's header names. */
  let currencies: (string | undefined)[] = []

  function visit(block: Block, number: number): void {
    const { kind, text, location } = block
    if (sample.length < sampleCharacters) sample += `${text}\n`
    if (kind === "table-header") head = text.split(joint)
    else if (kind !== "table-row") head = []
    if (kind !== "table-row") currencies = head.map(findColumnCurrency)
    const getFact = (start: number, end: number) => ({
      fileId: id,
      fileName: name,
      text: text.slice(start, end).replaceAll(/\s+/g, " "),
      block: number,
      location,
      sentence: sentenceAround(block, start, end),
    })
    const dates = findDates(text)
    for (const date of dates) {
      order.visit(date)
      const column = kind === "table-row" ? head[columnAt(text, date.start)] : undefined
      found.push({
        ...getFact(date.start, date.end),
        kind: "date",
        date: date.date,
        otherDate: null,
        monthFirst: date.monthFirst,
        isDeadline: isDeadline(text, date, column),
      })
    }
    for (const amount of findAllAmounts(text, kind === "table-row" ? currencies : [])) {
      if (dates.some(({ start, end }) => start < amount.end && amount.start < end)) continue
      const { start, end, value, currency } = amount
      found.push({ ...getFact(start, end), kind: "amount", value, currency })
    }
  }

  return {
    visit,
    get isFull() {
      return found.length >= maxFactsPerFile
    },
    /** Returns the facts in order. Call it at the end, because only then is the document's date format known. */
    facts: (): Fact[] =>
      found.slice(0, maxFactsPerFile).map((fact) => {
        if (fact.kind === "amount") return fact
        const { monthFirst = null, ...date } = fact
        return { ...date, ...order.settle({ date: date.date, monthFirst }) }
      }),
  }
}

/** Returns the amounts of a text, including numbers in columns whose header names the currency. */
function findAllAmounts(
  text: string,
  currencies: readonly (string | undefined)[],
): Omit<FoundAmount, "otherValue">[] {
  const amounts = findAmounts(text)
  if (currencies.every((currency) => currency === undefined)) return amounts
  const ofColumns: Omit<FoundAmount, "otherValue">[] = []
  let start = 0
  for (const [column, cell] of text.split(joint).entries()) {
    const end = start + cell.length
    const currency = currencies[column]
    const isFound = amounts.some((amount) => amount.start < end && start < amount.end)
    const value = currency === undefined || isFound ? undefined : parseCellAmount(cell, currency)
    if (currency !== undefined && value !== undefined) ofColumns.push({ start, end, value, currency })
    start = end + joint.length
  }
  return [...amounts, ...ofColumns].toSorted((a, b) => a.start - b.start)
}

const columnAt = (text: string, index: number) => text.slice(0, index).split(joint).length - 1

export const isDate = (fact: Fact): fact is DateFact => fact.kind === "date"
export const isAmount = (fact: Fact): fact is AmountFact => fact.kind === "amount"
