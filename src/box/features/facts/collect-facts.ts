import type { AmountFact, DateFact, Fact } from "../../../shared/contract/facts.ts"
import { detectLanguage } from "../../engines/vectors/text/languages.ts"
import type { Block } from "../../parsers/parser.ts"
import { findAmounts } from "./amounts/find-amounts.ts"
import { createDayOrder } from "./dates/day-order.ts"
import { isDeadline } from "./dates/deadline-words.ts"
import { findDates } from "./dates/find-dates.ts"
import { sentenceAround } from "./sentence-around.ts"

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

  function visit(block: Block, number: number): void {
    const { kind, text, location } = block
    if (sample.length < sampleCharacters) sample += `${text}\n`
    if (kind === "table-header") head = text.split(joint)
    else if (kind !== "table-row") head = []
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
    for (const amount of findAmounts(text)) {
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

const columnAt = (text: string, index: number) => text.slice(0, index).split(joint).length - 1

export const isDate = (fact: Fact): fact is DateFact => fact.kind === "date"
export const isAmount = (fact: Fact): fact is AmountFact => fact.kind === "amount"
