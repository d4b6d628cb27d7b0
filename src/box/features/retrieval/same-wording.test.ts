import { expect, test } from "vitest"
import { repeats, getWording } from "./collect.ts"

const paragraph =
  "The tenant pays the rent by the third working day of each month. The deposit amounts to three months' rent and is " +
  "returned within six weeks after the end of the lease, less what is owed for damage beyond ordinary wear."
const isRepeated = (text: string, known = paragraph) => repeats(getWording(text), getWording(known))

// Catches the same text in two formats that appears twice in the results.
test("line breaks, hyphens, case, punctuation and edges make no difference", () => {
  expect(isRepeated(paragraph)).toBe(true)
  expect(isRepeated(paragraph.replaceAll(" ", "\n").toUpperCase().replace("AMOUNTS", "AMO-\nUNTS"))).toBe(
    true,
  )
  expect(isRepeated(`Lease >\n${paragraph} §`)).toBe(true)
  expect(isRepeated(paragraph.slice(10), `Before. ${paragraph} After that comes another paragraph.`)).toBe(
    true,
  )
  const thai = "พิพิธภัณฑ์เปิดทุกวันตั้งแต่เก้าโมงเช้าถึงห้าโมงเย็น ยกเว้นวันจันทร์และวันหยุดราชการ"
  expect(isRepeated(thai.replaceAll(" ", ""), thai)).toBe(true)
})

// Catches one contract's wording cited for another contract.
test("a change inside the text makes a difference", () => {
  expect(isRepeated(paragraph.replace("three months", "two months"))).toBe(false)
  expect(isRepeated(paragraph.replace("is returned", "is not returned"))).toBe(false)
  expect(isRepeated(`${paragraph} ${"A clause of its own follows here. ".repeat(3)}`)).toBe(false)
  expect(isRepeated("Yes.", "No.")).toBe(false)
  expect(getWording("It costs 1.5, or 1,5.")).not.toBe(getWording("It costs 15, or 15."))
})
