import { expect, test } from "vitest"
import { eml } from "../formats/eml.ts"
import { parseBytes } from "../testing/parse-bytes.ts"
import { splitHistory } from "./mail-text.ts"

// Catches history that is taken for the newest text, and the newest text taken for history.
test.for([
  ["New.\n\nOn 5 March 2024 at 10:00, Ada <a@b.c>\nwrote:\n> Old.\n>> Older.\n\n> Old.", "New.\n"],
  ["Nuovo.\n\nIl giorno mar 5 mar 2024 alle ore 10:00 Ada ha scritto:\n\n> Vecchio.\n", "Nuovo.\n"],
  ["New.\n\n> Old.\n\n-- \nAda\nVia Roma", "New.\n"],
  ["New.\n\n-----Original Message-----\nFrom: Ada\n\nOld.", "New.\n"],
  ["New.\n\nVon: Ada <a@b.c>\nGesendet: Dienstag, 5. März 2024\nAn: Bob\n\nOld.", "New.\n"],
  // Answers between quotations need them.
  ["> Is it blue?\nYes.\n> Is it new?\nNo.", "> Is it blue?\nYes.\n> Is it new?\nNo."],
  ["> Everything\n> is quoted.", "> Everything\n> is quoted."],
  ["From: the top of the hill\nwe saw the sea.", "From: the top of the hill\nwe saw the sea."],
] as const)("finds the author's own text in %j", ([text, own]) => {
  expect(splitHistory(text).own).toBe(own)
  expect([splitHistory(text).own, splitHistory(text).history].filter(Boolean).join("\n")).toBe(text)
})

// Catches the history of emails that are only HTML.
test("marks history in HTML", async () => {
  const html = "<p>New.</p><div>On 5 March 2024, Ada wrote:</div><blockquote><p>Old.</p></blockquote>"
  const { blocks } = await parseBytes(eml, `Subject: x\nContent-Type: text/html\n\n${html}`)
  expect(blocks.map(({ kind, text }) => [kind, text])).toEqual([
    ["heading", "x"],
    ["paragraph", "New."],
    ["quote", "On 5 March 2024, Ada wrote:"],
    ["quote", "Old."],
  ])
})
