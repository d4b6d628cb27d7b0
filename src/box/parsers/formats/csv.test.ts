import { describe, expect, test } from "vitest"
import { csv } from "./csv.ts"
import { maxBlockCharacters } from "../parser.ts"
import { parseBytes } from "../testing/parse-bytes.ts"

const rows = async (content: string, name = "a.csv"): Promise<string[]> =>
  (await parseBytes(csv, content, name)).blocks.map(
    ({ kind, text, location }) => `${kind} ${location.row}:${location.line} ${text}`,
  )

describe("delimiters", () => {
  test.for([
    ["comma", "name,age\nAda,36\nBob,41\n"],
    ["semicolon with decimal commas", "name;age\nAda;36\nBob;41\n"],
    ["tab", "name\tage\nAda\t36\nBob\t41\n"],
    ["pipe", "name|age\nAda|36\nBob|41\n"],
    ["CR LF", "name,age\r\nAda,36\r\nBob,41\r\n"],
    ["old Macintosh", "name,age\rAda,36\rBob,41"],
    ["quotes", '"name","age"\n"Ada","36"\n"Bob","41"'],
  ] as const)("%s", async ([, content]) => {
    expect(await rows(content)).toEqual([
      "table-header 1:1 name | age",
      "table-row 2:2 Ada | 36",
      "table-row 3:3 Bob | 41",
    ])
  })

  test("Excel's separator line isn't read as a row", async () => {
    expect(await rows("sep=;\nname;age\nAda;36")).toEqual([
      "table-header 1:2 name | age",
      "table-row 2:3 Ada | 36",
    ])
  })
})

// Catches cells that are cut at commas in numbers, dates and sentences, because these happen to be as frequent on every line.
describe("delimiters that other characters look like", () => {
  const semicolons = Array.from({ length: 5 }, (_, index) => `2024-01-01 0${index}:00;12,${index};7,3`)
  test.for([
    ["decimal commas without a header", semicolons.join("\n"), "table-row 2:2 2024-01-01 01:00 | 12,1 | 7,3"],
    [
      "trailing delimiters, dates and short rows",
      "April 15, 2023;4028;25.00;Ray;pending;\nApril 14, 2023;4441;25.00;Lonny;\nApril 9, 2023;6783;25.00;Rosa;",
      "table-row 2:2 April 14, 2023 | 4441 | 25.00 | Lonny",
    ],
    ["names with commas", "Rossi, Mario;12\nBianchi, Anna;13", "table-row 2:2 Bianchi, Anna | 13"],
    ["amounts", "name\tprice\nOak\t1,234.50\nElm\t2,345.60", "table-row 3:3 Elm | 2,345.60"],
    ["one column of decimals", "Height\n12,5\n7,25\n13", "table-row 3:3 7,25"],
    [
      "one column of sentences",
      "Comment\nNice, quick and friendly\nWould buy again\nToo slow, too expensive, never again",
      "table-row 2:2 Nice, quick and friendly",
    ],
    ["spaces after commas", "name, age\nAda, 36\nBob, 41", "table-row 3:3 Bob | 41"],
    ["quoted semicolons", 'a,b\n"x;y;z",1\n"x;y;z",2', "table-row 3:3 x;y;z | 2"],
    ["a tab-separated file with one column of commas", "a,b\tc\n1,2\t3", "table-row 2:2 1,2 | 3", "a.tsv"],
  ] as const)("%s", async ([, content, expected, name]) => {
    expect(await rows(content, name)).toContain(expected)
  })
})

// Catches column names that no row has, because comments are above them or a delimiter is after the last one.
test.for([
  ["comments", "# Exported by Ada, 5 March\n# Units: kWh, EUR\nday;kwh;eur\n1;12,5;3\n2;12,7;4", 3],
  ["comments with the same delimiter", "# Units: kWh, EUR, h\nday,kwh,eur\n1,12,3\n2,12,4", 2],
  ["a title", "Energy, all houses\n\nday;kwh;eur\n1;12,5;3\n2;12,7;4", 3],
  ["a delimiter at the end", "day;kwh;eur;\n1;12,5;3;\n2;12,7;4;", 1],
] as const)("finds the header: %s", async ([, content, line]) => {
  const header = (await rows(content)).filter((row) => row.startsWith("table-header"))
  expect(header).toEqual([expect.stringMatching(new RegExp(`:${line} day \\| kwh \\| eur$`))])
})

test("a table without column names has no header", async () => {
  expect(await rows("1,Ada\n2,Bob")).toEqual(["table-row 1:1 1 | Ada", "table-row 2:2 2 | Bob"])
})

test("cells keep delimiters, quotes and line ends, and later rows keep their line numbers", async () => {
  expect(await rows('a,b\n"x, ""y""","two\nlines"\nlast,row')).toEqual([
    "table-header 1:1 a | b",
    'table-row 2:2 x, "y" | two lines',
    "table-row 3:4 last | row",
  ])
})

// csv-parse with skip_records_with_error loses everything after the quote.
test("an unclosed quote affects only its own row", async () => {
  const body = Array.from({ length: 5000 }, (_, index) => `${index},value ${index}`)
  body[100] = '100,"value 100'
  const { blocks, notes } = await parseBytes(csv, `id,text\n${body.join("\n")}`, "a.csv")
  expect(blocks).toHaveLength(5001)
  expect(blocks[101]?.text).toBe("100 | value 100")
  expect(blocks.at(-1)?.text).toBe("4999 | value 4999")
  expect(blocks.at(-1)?.location).toEqual({ row: 5001, column: 1, line: 5001 })
  expect(blocks[101]?.location.column).toBeUndefined()
  expect(notes).toHaveLength(1)
})

test("a stray quote in the middle of a cell is an ordinary character", async () => {
  expect((await rows('a,b\n5" pipe,x')).at(-1)).toBe('table-row 2:2 5" pipe | x')
})

test("a file with a single row of 3 MB, or a single cell, is split into blocks", async () => {
  for (const content of ["cell,".repeat(600_000), "x".repeat(3_000_000), `"${"y ".repeat(1_500_000)}"`]) {
    const { blocks, text } = await parseBytes(csv, content, "a.csv")
    expect(blocks.every((block) => block.text.length <= maxBlockCharacters)).toBe(true)
    expect(text.replaceAll(/[\s|"]/g, "").length).toBe(content.replaceAll(/[\s,"]/g, "").length)
  }
})
