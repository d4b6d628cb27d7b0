import { expect, test } from "vitest"
import { maxBlockCharacters, ParseFailure } from "../parser.ts"
import { rtf } from "./rtf.ts"
import { parseBytes } from "../testing/parse-bytes.ts"

async function lines(content: string): Promise<string[]> {
  const { blocks } = await parseBytes(rtf, Buffer.from(`{\\rtf1\\ansi ${content}}`, "latin1"), "a.rtf")
  return blocks.map(({ kind, text, location }) => `${kind} [${location.heading ?? ""}] ${text}`)
}

test.for([
  ["a code page for the whole file", "\\ansicpg1251 \\'cf\\'f0\\'e8\\'e2\\'e5\\'f2", "Привет"],
  [
    "a code page of a font",
    "{\\fonttbl{\\f0\\fcharset0 A;}{\\f1\\fcharset238 B;}}\\f1 \\'bf\\f0  \\'e9",
    "ż é",
  ],
  ["two bytes for a character", "{\\fonttbl{\\f0\\fcharset128 A;}}\\f0 \\'93\\'fa\\'96\\'7b", "日本"],
  ["Unicode with a fallback", "\\uc1 \\u322?\\u-10179?\\u-8638? \\uc2\\u8364\\'80\\'80!", "ł🙂 €!"],
  ["named characters", "\\ldblquote a\\rdblquote\\emdash b\\~c\\_d\\\\\\{\\}", "“a”—b c-d\\{}"],
  ["hidden and deleted text", "a{\\v hidden}b{\\deleted gone}c", "abc"],
  [
    "groups that aren't text",
    "{\\*\\unknown no}{\\pict ffd8}{\\info{\\author no}}yes {\\b\\* kept}",
    "yes kept",
  ],
  ["an equation in a field", "{\\field{\\*\\fldinst {EQ \\\\f(1,2)}}{\\fldrslt }} cup", "1/2 cup"],
  [
    "a phonetic guide",
    "{\\field{\\*\\fldinst EQ \\\\o\\\\ad(\\\\s\\\\up 11(\\u12392?),\\u26481?)}{\\fldrslt}}",
    "東(と)",
  ],
  ["raised digits", "10{\\super 3} m{\\super 2}, 10\\super 4\\nosupersub 5", "10^3 m2, 10^45"],
  ["a field's result", "{\\field{\\*\\fldinst HYPERLINK x}{\\fldrslt link}}", "link"],
  // Catches addresses that only the target of a link has.
  [
    "a link's target",
    '{\\field{\\*\\fldinst{HYPERLINK "https://example.org/a" }}{\\fldrslt{terms}}}, {\\field{\\*\\fldinst HYPERLINK "mailto:a@example.org"}{\\fldrslt a@example.org}}',
    "terms (https://example.org/a), a@example.org",
  ],
  // Catches forms without what was chosen in them.
  [
    "fields of a form",
    "{\\field{\\*\\fldinst FORMCHECKBOX {\\*\\formfield{\\fftype1\\ffres25\\ffdefres1}}}{\\fldrslt}}yes {\\field{\\*\\fldinst FORMCHECKBOX {\\*\\formfield{\\fftype1\\ffres0\\ffdefres1}}}{\\fldrslt}}no " +
      "{\\field{\\*\\fldinst FORMDROPDOWN {\\*\\formfield{\\fftype2\\ffres1{\\*\\ffl Oak}{\\*\\ffl Elm}}}}{\\fldrslt Elm}}",
    "[x] yes [ ] no Elm",
  ],
  ["bytes that aren't text", "a\\bin5 {}{}\\b", "ab"],
] as const)("%s", async ([, content, text]) => {
  expect(await lines(content)).toEqual([`paragraph [] ${text}`])
})

test("reads headings by style and outline level, tables, and notes next to their paragraph", async () => {
  const content =
    "{\\stylesheet{\\s0 Normal;}{\\s5\\b heading 1;}}{\\header ACME\\par}\\pard\\s5 Guide\\par\\pard\\outlinelevel1 Install\\par" +
    "\\pard One{\\footnote A note}, two\\par\\trowd\\pard\\intbl Name\\cell Price\\cell\\row\\intbl Oak\\par tree\\cell 12\\cell\\row" +
    "\\pard After"
  expect(await lines(content)).toEqual([
    "paragraph [] ACME",
    "heading [Guide] Guide",
    "heading [Guide › Install] Install",
    "paragraph [Guide › Install] A note",
    "paragraph [Guide › Install] One, two",
    "table-header [Guide › Install] Name | Price",
    "table-row [Guide › Install] Oak tree | 12",
    "paragraph [Guide › Install] After",
  ])
})

// Catches clauses that can't be found by their number, and bullets that are read as letters of a symbol font.
test("numbers and bullets precede the text of headings, lists and cells", async () => {
  const content =
    "{\\stylesheet{\\s5 heading 1;}}\\pard\\plain\\s5{\\listtext\\pard\\plain\\s0 1.\\tab}Scope\\par" +
    "{\\listtext\\pard\\plain 1.1\\tab}\\pard\\plain Clause\\par\\pard{\\pntext\\f1\\'B7\\tab}{\\*\\pn\\pnlvlblt}Bullet\\par" +
    "\\pard{\\pntext\\f0 (a)\\tab}Letter\\par{\\listtext\\u-3913 ?\\tab}\\par"
  expect(await lines(content)).toEqual([
    "heading [1. Scope] 1. Scope",
    "paragraph [1. Scope] 1.1 Clause",
    "paragraph [1. Scope] - Bullet",
    "paragraph [1. Scope] (a) Letter",
  ])
})

// Catches rows that lose the value of a merged cell, and the rows of a table inside another.
test("merged cells are repeated, and nested tables keep their rows", async () => {
  const row = (definition: string, ...cells: string[]) =>
    `\\trowd ${definition}\\pard\\intbl ${cells.map((cell) => `${cell}\\cell `).join("")}\\row`
  const merged =
    row("\\cellx1\\cellx2\\cellx3", "Region", "City", "Staff") +
    row("\\clvmgf\\cellx1\\cellx2\\cellx3", "Lombardy", "Milano", "12") +
    row("\\clvmrg\\cellx1\\cellx2\\cellx3", "", "Bergamo", "7") +
    row("\\clmgf\\cellx1\\clmrg\\cellx2\\cellx3", "Total", "", "19")
  const nested =
    "\\pard\\par\\trowd\\cellx1\\cellx2\\pard\\intbl Outer\\cell\\pard\\intbl\\itap2 inner\\nestcell 42\\nestcell" +
    "{\\*\\nesttableprops\\trowd\\cellx1\\cellx2\\nestrow}{\\nonesttables\\par}\\pard\\intbl\\cell\\row\\pard After"
  expect(await lines(merged + nested)).toEqual([
    "table-header [] Region | City | Staff",
    "table-row [] Lombardy | Milano | 12",
    "table-row [] Lombardy | Bergamo | 7",
    "table-row [] Total | Total | 19",
    "paragraph [] Outer",
    "table-row [] inner | 42",
    "paragraph [] After",
  ])
})

test("keeps tokens whole when a chunk ends within them", async () => {
  const text = (await lines("\\u322?\\par ".repeat(40_000))).map((line) => line.slice(-1)).join("")
  expect(text).toBe("ł".repeat(40_000))
})

test("splits text without paragraphs into blocks, and refuses endless nesting", async () => {
  const { blocks } = await parseBytes(rtf, `{\\rtf1 ${"word ".repeat(200_000)}`, "a.rtf")
  expect(blocks.every(({ text }) => text.length <= maxBlockCharacters)).toBe(true)
  expect(
    blocks
      .map(({ text }) => text)
      .join(" ")
      .match(/word/g)?.length,
  ).toBe(200_000)
  await expect(lines("{".repeat(100_000))).rejects.toThrow(ParseFailure)
})

// Catches rows in which a wide cell shifts the columns, custom headings read as text, and equations that are left out.
test("repeats wide cells, follows styles to the headings on which they are based, and writes equations as text", async () => {
  const styles = "{\\stylesheet{\\s1 heading 1;}{\\s8\\sbasedon1 Mine;}{\\s9\\outlinelevel1 Clause;}}"
  const table =
    "\\trowd\\cellx100\\cellx200\\cellx300 \\intbl A\\cell B\\cell C\\cell\\row" +
    "\\trowd\\cellx200\\cellx300 \\intbl wide\\cell c\\cell\\row\\pard "
  const equation =
    "{\\mmath{\\*\\moMath{\\mf{\\mnum{\\mr a}{\\mr +}{\\mr b}}{\\mden{\\mr c}}}" +
    "{\\mnary{\\mnaryPr{\\mchr \\u8721?}}{\\msub{\\mr i}}{\\msup{\\mr n}}{\\me{\\mr x}}}}}"
  expect(
    await lines(`${styles}\\s8 Top\\par\\pard\\s9 Under\\par\\pard ${table}y = ${equation}\\par`),
  ).toEqual([
    "heading [Top] Top",
    "heading [Top › Under] Under",
    "table-header [Top › Under] A | B | C",
    "table-row [Top › Under] wide | wide | c",
    "paragraph [Top › Under] y = (a+b)/c∑_i^n x",
  ])
})
