import { describe, expect, test } from "vitest"
import { isDeadline } from "../../features/facts/dates/deadline-words.ts"
import { createDayOrder, findDates } from "./find-dates.ts"

const written = (text: string) =>
  findDates(text).map(({ start, end, date }) => [text.slice(start, end), date])

// Catches a date format that isn't recognised, or is read as another day.
test.for([
  ["Signed on 1 May 2026.", "1 May 2026", "2026-05-01"],
  ["on May 1, 2026 or", "May 1, 2026", "2026-05-01"],
  ["on September 3rd 2026", "September 3rd 2026", "2026-09-03"],
  ["the 21st of March, 2024", "21st of March, 2024", "2024-03-21"],
  ["am 01.05.2026 um", "01.05.2026", "2026-05-01"],
  ["am 1. 5. 2026 um", "1. 5. 2026", "2026-05-01"],
  ["vom 3. März 2025 an", "3. März 2025", "2025-03-03"],
  ["at 2026-05-01T10:00", "2026-05-01", "2026-05-01"],
  ["entro il 3 marzo 2025", "3 marzo 2025", "2025-03-03"],
  ["il 1° maggio 2026", "1° maggio 2026", "2026-05-01"],
  ["le 1er février 2026", "1er février 2026", "2026-02-01"],
  ["el 5 de mayo de 2026", "5 de mayo de 2026", "2026-05-05"],
  ["am 03.04.26 fällig", "03.04.26", "2026-04-03"],
  ["3-May-2026", "3-May-2026", "2026-05-03"],
  ["by March 2027", "March 2027", "2027-03"],
  ["13/5/2026", "13/5/2026", "2026-05-13"],
  ["5/13/2026", "5/13/2026", "2026-05-13"],
  ["2026/5/3", "2026/5/3", "2026-05-03"],
  ["29.02.2024", "29.02.2024", "2024-02-29"],
  ["fino al 3\nmarzo\n2025", "3\nmarzo\n2025", "2025-03-03"],
  ["Send it by 15 March.", "15 March", "--03-15"],
  ["by March 15th at noon", "March 15th", "--03-15"],
  ["by May 5, or", "May 5", "--05-05"],
  ["entro il 15 marzo", "15 marzo", "--03-15"],
  ["bis 15. März", "15. März", "--03-15"],
  ["avant le 1er mai", "1er mai", "--05-01"],
  ["on 29 February", "29 February", "--02-29"],
] as const)("%s", ([text, part, date]) => expect(written(text)).toEqual([[part, date]]))

// Catches versions, addresses, phone numbers, sections and impossible days reported as dates.
test.for([
  "30.02.2025",
  "31.11.2025",
  "version 1.2.10",
  "192.168.1.2025",
  "1.2.3.2020",
  "call 01-05-26",
  "ISBN 978-3-16-148410-0",
  "A4 2026",
  "x1.5.2026",
  "12/2026",
  "1/2",
  "may 5000 people",
  "dec 2026",
  "13/13/2026",
  "31 April",
  "you may 5 times",
  "In March 15 people came",
  "In March 15% more",
  "May 5,000 people",
  "15 set pieces",
  "15 marching men",
])("finds none in %s", (text) => expect(written(text)).toEqual([]))

describe("the order of day and month", () => {
  const settled = (texts: string[], language?: string) => {
    const order = createDayOrder(() => language)
    const dates = texts.flatMap((text) => findDates(text))
    for (const date of dates) order.visit(date)
    return order.settle(dates[0] ?? { date: "", monthFirst: null })
  }

  // Catches an ambiguous 5/1/2026 reported as one day, or left open although another date or the language decides.
  test("is determined by other dates or the language; otherwise both readings are returned", () => {
    expect(settled(["5/1/2026"])).toEqual({ date: "2026-01-05", otherDate: "2026-05-01" })
    expect(settled(["5/1/2026"], "en")).toEqual({ date: "2026-01-05", otherDate: "2026-05-01" })
    expect(settled(["5/1/2026"], "it")).toEqual({ date: "2026-01-05", otherDate: null })
    expect(settled(["5/1/2026", "12/31/2025"], "en")).toEqual({ date: "2026-05-01", otherDate: null })
    expect(settled(["5/1/2026", "31/12/2025"], "en")).toEqual({ date: "2026-01-05", otherDate: null })
    expect(settled(["5/5/2026"])).toEqual({ date: "2026-05-05", otherDate: null })
    expect(settled(["5.1.2026"])).toEqual({ date: "2026-01-05", otherDate: null })
  })
})

describe("a deadline", () => {
  const isOne = (text: string, column?: string) => {
    const [date] = findDates(text)
    return date !== undefined && isDeadline(text, date, column)
  }

  test.for([
    "Send it by 3 May 2026.",
    "Send it by 15 March.",
    "entro il 15 marzo",
    "bis 15. März",
    "no later than Friday, 3 May 2026",
    "until the end of 3 May 2026",
    "The deadline is 3 May 2026",
    "3 May 2026 is the closing date",
    "The invoice is due on 3 May 2026",
    "da presentare entro il 3 marzo 2025",
    "entro e non oltre il 3 marzo 2025",
    "Scadenza: 3 marzo 2025",
    "spätestens am 3. März 2025",
    "bis zum 3. März 2025",
    "Die Frist endet am 3. März 2025",
    "Einreichungsfrist: 03.03.2025",
    "au plus tard le 3 mars 2025",
    "antes del 3 de mayo de 2026",
  ])("%s", (text) => expect(isOne(text)).toBe(true))

  // Catches every date after a "by", and words from another sentence.
  test.for([
    "It was signed on 3 May 2026.",
    "Written by John Smith on 3 May 2026",
    "Il 3 marzo 2025 sono arrivate due lettere.",
    "There was a deadline. It began on 3 May 2026.",
    "Bisher am 3. März 2025",
    "The rise is due primarily to a fee of 3 May 2026.",
    "Geboren am 3. März 1980",
  ])("not: %s", (text) => expect(isOne(text)).toBe(false))

  test("is recognised by the name of its column", () => {
    expect(isOne("3 May 2026", "Due date")).toBe(true)
    expect(isOne("3 May 2026", "Due")).toBe(true)
    expect(isOne("3 May 2026", "Signed")).toBe(false)
  })
})
