import { describe, expect, test } from "vitest"
import { docx } from "./docx.ts"
import { maxBlockCharacters, ParseFailure } from "../parser.ts"
import { docxBytes, relationships, zipBytes } from "../testing/office-files.ts"
import { parseBytes } from "../testing/parse-bytes.ts"

const run = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`
const paragraph = (text: string, style = ""): string =>
  `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr>${run(text)}</w:p>`
const row = (...cells: string[]): string =>
  `<w:tr>${cells.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join("")}</w:tr>`

async function lines(bytes: Uint8Array): Promise<string[]> {
  const { blocks } = await parseBytes(docx, bytes, "a.docx")
  return blocks.map(({ kind, text, location }) => `${kind} [${location.heading ?? ""}] ${text}`)
}

// Catches headings that are only found by their English ids, and citations without the location of a text.
test("headings by style, also inherited or in another language, form the path of the text below", async () => {
  const styles =
    '<w:styles><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>' +
    '<w:style w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="berschrift2"/></w:style>' +
    '<w:style w:styleId="berschrift2"><w:name w:val="whatever"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style></w:styles>'
  const bytes = docxBytes(
    paragraph("Guide", "berschrift1") + paragraph("Install", "Mine") + paragraph("Do it."),
    {
      "word/_rels/document.xml.rels": relationships({ s: ["styles", "styles.xml"] }),
      "word/styles.xml": styles,
    },
  )
  expect(await lines(bytes)).toEqual([
    "heading [Guide] Guide",
    "heading [Guide › Install] Install",
    "paragraph [Guide › Install] Do it.",
  ])
})

test("a table's header row is marked, and a table that contains a table is treated as layout", async () => {
  const table = `<w:tbl>${row("Name", "Price")}${row("Oak", "12")}</w:tbl>`
  expect(await lines(docxBytes(table))).toEqual(["table-header [] Name | Price", "table-row [] Oak | 12"])
  const nested = `<w:tbl><w:tr><w:tc>${paragraph("Around")}${table}</w:tc></w:tr></w:tbl>`
  expect(await lines(docxBytes(nested))).toEqual([
    "paragraph [] Around",
    "table-header [] Name | Price",
    "table-row [] Oak | 12",
  ])
})

test("deleted and moved text, field codes and fallback drawings are left out; text boxes are kept", async () => {
  const body =
    `<w:p>${run("keep ")}<w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>` +
    `<w:moveFrom>${run("moved")}</w:moveFrom><w:r><w:instrText>PAGE</w:instrText></w:r>${run("this")}` +
    `<mc:AlternateContent><mc:Choice><w:txbxContent>${paragraph("boxed")}</w:txbxContent></mc:Choice>` +
    `<mc:Fallback><w:txbxContent>${paragraph("boxed")}</w:txbxContent></mc:Fallback></mc:AlternateContent></w:p>`
  expect(await lines(docxBytes(body))).toEqual(["paragraph [] boxed", "paragraph [] keep this"])
})

test("notes, unique headers, charts and diagrams follow the body", async () => {
  const bytes = docxBytes(paragraph("Body"), {
    "word/_rels/document.xml.rels": relationships({
      a: ["footnotes", "footnotes.xml"],
      b: ["header", "header1.xml"],
      c: ["header", "/word/header2.xml"],
      d: ["chart", "charts/chart1.xml"],
      e: ["diagramData", "diagrams/data1.xml"],
    }),
    "word/footnotes.xml": `<w:footnotes>${paragraph("A note")}</w:footnotes>`,
    "word/header1.xml": `<w:hdr>${paragraph("ACME")}${paragraph("7")}</w:hdr>`,
    "word/header2.xml": `<w:hdr>${paragraph("ACME")}</w:hdr>`,
    "word/charts/chart1.xml":
      "<c:chartSpace><c:chart><c:title><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:title><c:ser><c:tx><c:pt><c:v>2024</c:v></c:pt></c:tx>" +
      '<c:cat><c:pt idx="0"><c:v>Spring</c:v></c:pt></c:cat><c:val><c:pt idx="0"><c:v>8.200000000000001</c:v></c:pt></c:val></c:ser></c:chart></c:chartSpace>',
    "word/diagrams/data1.xml":
      "<dgm:dataModel><dgm:pt><dgm:t><a:p><a:r><a:t>Step one</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:dataModel>",
  })
  expect(await lines(bytes)).toEqual([
    "paragraph [] Body",
    "paragraph [Footnotes] A note",
    "paragraph [Page header] ACME",
    "paragraph [Chart] Sales",
    "table-header [Chart] | 2024",
    "table-row [Chart] Spring | 8.2",
    "paragraph [Diagram] Step one",
  ])
})

test("accepts other prefixes, UTF-16 and extra bytes after the archive", async () => {
  const xml =
    '<?xml version="1.0" encoding="utf-16"?><x:document><x:body><x:p><x:r><x:t>Zażółć</x:t></x:r></x:p></x:body></x:document>'
  const bytes = docxBytes("", {
    "word/document.xml": Buffer.from(`\ufeff${xml}`, "utf16le") as unknown as string,
  })
  expect(await lines(Buffer.concat([bytes, Buffer.alloc(5000, 0x20)]))).toEqual(["paragraph [] Zażółć"])
})

const level = (index: number, format: string, text: string, more = ""): string =>
  `<w:lvl w:ilvl="${index}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/>${more}</w:lvl>`
const list = (id: number, content: string): string =>
  `<w:abstractNum w:abstractNumId="${id}">${content}</w:abstractNum>`
const numbering = (id: number, of: number, more = ""): string =>
  `<w:num w:numId="${id}"><w:abstractNumId w:val="${of}"/>${more}</w:num>`
const item = (id: number, index: number, text: string): string =>
  `<w:p><w:pPr><w:numPr><w:ilvl w:val="${index}"/><w:numId w:val="${id}"/></w:numPr></w:pPr>${run(text)}</w:p>`
const styled = (body: string, definitions: string, styles = ""): Buffer =>
  docxBytes(body, {
    "word/_rels/document.xml.rels": relationships({
      a: ["numbering", "numbering.xml"],
      b: ["styles", "styles.xml"],
    }),
    "word/numbering.xml": `<w:numbering>${definitions}</w:numbering>`,
    "word/styles.xml": `<w:styles>${styles}</w:styles>`,
  })

// Catches clauses that can't be found by their number, because Word creates it and doesn't store it.
test("automatic numbers precede the text, by level, format and restart", async () => {
  const legal = level(3, "decimal", "%1.%4", "<w:isLgl/>")
  const definitions =
    list(
      0,
      level(0, "upperRoman", "Art. %1") +
        level(1, "decimalZero", "%1-%2") +
        level(2, "lowerLetter", "(%3)", '<w:suff w:val="nothing"/>') + // no space, which would join it to the first word
        legal +
        level(4, "lowerRoman", "%5)", '<w:lvlRestart w:val="0"/>') +
        level(5, "ordinal", "%6") +
        level(6, "bullet", "\uf0b7") +
        level(7, "none", ""),
    ) +
    numbering(1, 0) +
    numbering(2, 0, '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride>') +
    numbering(3, 0, `<w:lvlOverride w:ilvl="2">${level(2, "upperLetter", "%3.")}</w:lvlOverride>`)
  const body =
    item(1, 0, "a") +
    item(1, 1, "b") +
    item(1, 2, "c") +
    item(1, 2, "d") +
    item(1, 3, "e") +
    item(1, 4, "f") +
    item(1, 5, "g") +
    item(1, 6, "h") +
    item(1, 7, "i") +
    item(1, 0, "j") +
    item(1, 1, "k") +
    item(1, 4, "l") +
    item(2, 0, "m") +
    item(2, 0, "n") +
    item(3, 2, "o") +
    item(0, 0, "p") +
    item(9, 0, "q")
  const { blocks } = await parseBytes(docx, styled(body, definitions), "a.docx")
  expect(blocks.map(({ text }) => text)).toEqual([
    "Art. I a",
    "I-01 b",
    "(a) c",
    "(b) d",
    "1.1 e",
    "i) f",
    "1st g",
    "- h",
    "i",
    "Art. II j",
    "II-01 k",
    "ii) l",
    "Art. VII m",
    "Art. VIII n",
    "A. o",
    "p",
    "- q",
  ])
})

// Catches equations, phonetic guides and combined characters that are lost because Word computes what these fields show.
test("fields with equations are read as lines of text", async () => {
  const field = (instruction: string, result = "") =>
    `<w:p><w:r><w:t xml:space="preserve">It is </w:t></w:r><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> ${instruction} </w:instrText></w:r>${result && `<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>${result}</w:t></w:r>`}<w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`
  const fields: [instruction: string, shown: string][] = [
    ["EQ \\f(1,2)", "1/2"],
    ["EQ \\f(1,5;a+b)", "1,5/(a+b)"],
    ["eq \\r(3,x) \\r(\\f(a,b))", "root(3, x) sqrt(a/b)"],
    ["EQ x\\s\\up8(2)\\s\\do4(max)", "x^2_max"],
    ["EQ \\i\\su(i=1,n,\\b\\bc\\[(i))", "∑_(i=1)^n [i]"],
    [
      "EQ \\* jc2 \\* &quot;Font:MS Mincho&quot; \\* hps16 \\o\\ad(\\s\\up 11(とうきょう),東京)",
      "東京(とうきょう)",
    ],
    ["EQ \\o\\ac(○,1)", "○1"],
    ["EQ \\l(a\\,b,c) \\a\\co2(1,2)", "a,b, c 1; 2"],
    ["EQ \\f(1", "1/"],
    ["EQUATION 1", ""],
  ]
  const body = fields.map(([instruction]) => field(instruction)).join("") + field("EQ \\f(1,2)", "½")
  const { blocks } = await parseBytes(docx, docxBytes(body), "a.docx")
  expect(blocks.map(({ text }) => text.replace(/^It is ?/, ""))).toEqual([
    ...fields.map(([, shown]) => shown),
    "½",
  ])
})

// Catches powers and marks of footnotes that become part of the number before them.
test("raised digits are apart from a number", async () => {
  const run = (text: string, raised = false) =>
    `<w:r>${raised ? '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr>' : ""}<w:t xml:space="preserve">${text}</w:t></w:r>`
  const body = `<w:p>${run("10")}${run("-", true)}${run("3", true)}${run(" to 10")}${run("1", true)}${run("2", true)}${run(" m")}${run("2", true)}${run(" on the 5")}${run("th", true)}${run(" in 2023")}${run("4", true)}</w:p>`
  const { blocks } = await parseBytes(docx, docxBytes(body), "a.docx")
  expect(blocks.map(({ text }) => text)).toEqual(["10^-3 to 10^12 m2 on the 5th in 2023^4"])
})

// Catches numbers that only a style gives: of headings, of styles based on them, and of list styles.
test("styles give numbers to headings and lists", async () => {
  const style = (id: string, name: string, properties: string, based = ""): string =>
    `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/><w:basedOn w:val="${based}"/><w:pPr>${properties}</w:pPr></w:style>`
  const definitions =
    list(
      0,
      level(0, "decimal", "%1", '<w:pStyle w:val="H1"/>') +
        level(1, "decimal", "%1.%2", '<w:pStyle w:val="H2"/>'),
    ) +
    list(1, '<w:numStyleLink w:val="Clauses"/>') +
    list(2, `<w:styleLink w:val="Clauses"/>${level(0, "upperLetter", "%1.")}`) +
    numbering(1, 0) +
    numbering(2, 1)
  const styles =
    style("H1", "heading 1", '<w:numPr><w:numId w:val="1"/></w:numPr>') +
    style("H2", "heading 2", '<w:numPr><w:numId w:val="1"/></w:numPr>') +
    style("Mine", "Mine", "", "H2") +
    style("Plain", "Plain", '<w:numPr><w:numId w:val="0"/></w:numPr>', "H1")
  const body =
    paragraph("Scope", "H1") +
    paragraph("Terms", "H2") +
    paragraph("Law", "Mine") +
    paragraph("Annex", "Plain") +
    item(2, 0, "Clause") +
    paragraph("End", "H1")
  expect(await lines(styled(body, definitions, styles))).toEqual([
    "heading [1 Scope] 1 Scope",
    "heading [1 Scope › 1.1 Terms] 1.1 Terms",
    "heading [1 Scope › 1.2 Law] 1.2 Law",
    "heading [Annex] Annex",
    "paragraph [Annex] A. Clause",
    "heading [2 End] 2 End",
  ])
})

// Catches instructions that no reader of the document sees.
test("hidden text is left out, by its own format or a style", async () => {
  const hidden = (text: string, properties: string): string =>
    `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`
  const styles =
    '<w:style w:type="paragraph" w:styleId="Note"><w:rPr><w:vanish/></w:rPr></w:style>' +
    '<w:style w:type="character" w:styleId="Off"><w:rPr><w:vanish/></w:rPr></w:style>'
  const body =
    `<w:p>${run("a")}${hidden("no", "<w:vanish/>")}${hidden("b", '<w:vanish w:val="0"/>')}${hidden("c", "<w:webHidden/>")}</w:p>` +
    `<w:p>${hidden("no", '<w:rStyle w:val="Off"/>')}${run("d")}</w:p>` +
    `<w:p><w:pPr><w:pStyle w:val="Note"/></w:pPr>${run("no")}${hidden("e", '<w:vanish w:val="false"/>')}</w:p>` +
    `<w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>${run("f")}</w:p>`
  expect(await lines(styled(body, "", styles))).toEqual(
    ["abc", "d", "e", "f"].map((text) => `paragraph [] ${text}`),
  )
})

// Catches rows that lose the value of a cell that is merged with the cell above or spans columns.
test("merged cells are repeated in the rows and columns that they cover", async () => {
  const cell = (text: string, properties = ""): string =>
    `<w:tc><w:tcPr>${properties}</w:tcPr><w:p>${text && run(text)}</w:p></w:tc>`
  const body =
    `<w:tbl>${row("Region", "City", "Staff")}<w:tr>${cell("Lombardy", '<w:vMerge w:val="restart"/>')}${cell("Milano")}${cell("12")}</w:tr>` +
    `<w:tr>${cell("", "<w:vMerge/>")}${cell("Bergamo")}${cell("7")}</w:tr>` +
    `<w:tr>${cell("Total", '<w:gridSpan w:val="2"/>')}${cell("19")}</w:tr><w:tr>${cell("Note", '<w:gridSpan w:val="3"/>')}</w:tr></w:tbl>`
  expect(await lines(docxBytes(body))).toEqual([
    "table-header [] Region | City | Staff",
    "table-row [] Lombardy | Milano | 12",
    "table-row [] Lombardy | Bergamo | 7",
    "table-row [] Total | Total | 19",
    "paragraph [] Note",
  ])
})

// Catches text that a document takes from another document inside it.
test("reads documents inside the text at their places, within the limit on nesting", async () => {
  const parts = {
    "[Content_Types].xml":
      '<Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>' +
      '<Default Extension="dat" ContentType="text/html"/></Types>',
    "word/_rels/document.xml.rels": relationships({
      a: ["aFChunk", "one.dat"],
      b: ["aFChunk", "/word/two.rtf"],
      c: ["aFChunk", "three.docx"],
    }),
    "word/one.dat": "<p>In HTML</p>",
    "word/two.rtf": "{\\rtf1 In RTF}",
  }
  const chunks = `${paragraph("Before")}<w:altChunk r:id="a"/>${paragraph("Between")}<w:altChunk r:id="b"/><w:altChunk r:id="c"/>${paragraph("After")}`
  const within = (inner: Buffer) =>
    docxBytes(chunks, { ...parts, "word/three.docx": inner as unknown as string })
  const { text } = await parseBytes(docx, within(docxBytes(paragraph("In Word"))), "a.docx")
  expect(text).toBe("Before\nIn HTML\nBetween\nIn RTF\nIn Word\nAfter")
  let nested = docxBytes(paragraph("Too deep"))
  for (let depth = 0; depth < 7; depth++) nested = within(nested)
  const deep = await parseBytes(docx, nested, "a.docx")
  expect(deep.text).not.toContain("Too deep")
  expect(deep.notes).toHaveLength(3)
})

// Catches forms that are read without what was chosen in them.
test("shows check boxes, lists and dates of forms", async () => {
  const control = (properties: string, content: string): string =>
    `<w:sdt><w:sdtPr><w:rPr><w:vanish/></w:rPr>${properties}</w:sdtPr><w:sdtContent>${content}</w:sdtContent></w:sdt>`
  const old = (data: string, result = ""): string =>
    `<w:r><w:fldChar w:fldCharType="begin"><w:ffData>${data}</w:ffData></w:fldChar></w:r><w:r><w:instrText>FORM</w:instrText></w:r>` +
    `<w:r><w:fldChar w:fldCharType="separate"/></w:r>${result}<w:r><w:fldChar w:fldCharType="end"/></w:r>`
  const entries = '<w:listEntry w:val="Oak"/><w:listEntry w:val="Elm"/>'
  const body =
    `<w:p>${control('<w14:checkbox><w14:checked w14:val="1"/></w14:checkbox>', run("☒"))}${run("Yes ")}${control("<w14:checkbox/>", run("☐"))}${run("No")}</w:p>` +
    `<w:p>${control("<w:dropDownList/>", run("Shown"))}${run(", ")}${control('<w:date w:fullDate="2024-03-05T00:00:00Z"/>', "")}</w:p>` +
    `<w:p>${old('<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>')}${run("A ")}${old('<w:checkBox><w:default w:val="0"/></w:checkBox>')}${run("B")}</w:p>` +
    `<w:p>${old(`<w:ddList><w:result w:val="1"/>${entries}</w:ddList>`, run("Elm"))}${run(", ")}${old("<w:textInput/>", run("typed"))}</w:p>`
  expect(await lines(docxBytes(body))).toEqual(
    ["[x] Yes [ ] No", "Shown, 2024-03-05", "[x] A [ ] B", "Elm, typed"].map(
      (text) => `paragraph [] ${text}`,
    ),
  )
})

// Catches fractions and powers whose parts run together: 12 for a half.
test("writes equations in a line", async () => {
  const text = (content: string): string => `<m:r><m:t>${content}</m:t></m:r>`
  const fraction = (a: string, b: string): string => `<m:f><m:num>${a}</m:num><m:den>${b}</m:den></m:f>`
  const power = `<m:sSup><m:e>${text("x")}</m:e><m:sup>${text("2")}</m:sup></m:sSup>`
  const equations = [
    fraction(text("a+b"), text("2")),
    power,
    `<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/><m:e>${power}${text("+1")}</m:e></m:rad>`,
    `<m:rad><m:deg>${text("3")}</m:deg><m:e>${text("x")}</m:e></m:rad>`,
    `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${text("i=1")}</m:sub><m:sup>${text("n")}</m:sup><m:e><m:sSub><m:e>${text("x")}</m:e><m:sub>${text("i")}</m:sub></m:sSub></m:e></m:nary>`,
    `<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e>${text("a")}</m:e></m:d>`,
    `${text("2")}${fraction(text("1"), text("3"))}`,
  ]
  const body = equations.map(
    (equation) => `<w:p>${run("is ")}<m:oMath>${equation}</m:oMath>${run(".")}</w:p>`,
  )
  const expected = ["(a+b)/2", "x^2", "sqrt(x^2+1)", "root(3, x)", "∑_(i=1)^n x_i", "[a]", "2 1/3"]
  expect(await lines(docxBytes(body.join("")))).toEqual(expected.map((text) => `paragraph [] is ${text}.`))
})

// Catches addresses that only the target of a link has, and targets that repeat the text.
test("shows the targets of links after their text", async () => {
  const link = (id: string, text: string): string => `<w:hyperlink r:id="${id}">${run(text)}</w:hyperlink>`
  const external = (id: string, target: string): string =>
    `<Relationship Id="${id}" Type="x/hyperlink" Target="${target}" TargetMode="External"/>`
  const field =
    '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> HYPERLINK "https://example.org/b" </w:instrText></w:r>' +
    `<w:r><w:fldChar w:fldCharType="separate"/></w:r>${run("field")}<w:r><w:fldChar w:fldCharType="end"/></w:r>`
  const body = `<w:p>${link("a", "terms")}, ${link("b", "write us")}, ${link("c", "www.example.org")}${run(", ")}${link("d", "file")}${run(", ")}${field}</w:p>`
  const rels = `<Relationships>${external("a", "https://example.org/a")}${external("b", "mailto:info@example.org?subject=x")}${external("c", "https://www.example.org/")}${external("d", "file:///c:/x")}</Relationships>`
  const { text } = await parseBytes(docx, docxBytes(body, { "word/_rels/document.xml.rels": rels }), "a.docx")
  expect(text).toBe(
    "terms (https://example.org/a)write us (info@example.org)www.example.org, file, field (https://example.org/b)",
  )
})

// Catches a sentence that is divided where a tracked change joined two paragraphs.
test("a paragraph whose end was deleted continues in the next one", async () => {
  const removed = (text: string): string =>
    `<w:p><w:pPr><w:rPr><w:del w:id="7"/></w:rPr></w:pPr>${run(text)}</w:p>`
  const body = `${removed("Within ")}${removed("thirty ")}${paragraph("days.")}<w:tbl><w:tr><w:tc>${removed("cell")}</w:tc></w:tr></w:tbl>${removed("last")}`
  expect(await lines(docxBytes(body))).toEqual(
    ["Within thirty days.", "cell", "last"].map((text) => `paragraph [] ${text}`),
  )
})

describe("fails with a reason", () => {
  const cases: [string, Uint8Array, string][] = [
    ["truncated", docxBytes(paragraph("word ".repeat(1000))).subarray(0, 400), "incomplete"],
    ["no document part", zipBytes({ "a.txt": "a" }), "isn't a valid Word document"],
    [
      "entities",
      docxBytes("", {
        "word/document.xml": '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
      }),
      "entities",
    ],
    ["nesting", docxBytes("<w:p>".repeat(20_000)), "too deeply"],
    ["a text of 100 MB", docxBytes(`<w:p><w:r><w:t>${" ".repeat(100_000_000)}`), "64 MB"],
  ]
  test.for(cases)("%s", async ([, bytes, reason]) => {
    const failure = await lines(bytes).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ParseFailure)
    expect((failure as ParseFailure).message).toContain(reason)
  })
})

test("reads a damaged part as far as possible, with a note", async () => {
  const { text, notes } = await parseBytes(docx, docxBytes(`${paragraph("One")}<w:p><w:r><w:t>Two`), "a.docx")
  expect(text).toContain("One")
  expect(notes).toHaveLength(1)
})

test("splits a paragraph of 100,000 characters into blocks", async () => {
  const { blocks } = await parseBytes(docx, docxBytes(paragraph("word ".repeat(20_000))), "a.docx")
  expect(blocks.every(({ text }) => text.length <= maxBlockCharacters)).toBe(true)
  expect(blocks.reduce((sum, { text }) => sum + text.split(" ").length, 0)).toBe(20_000)
})
