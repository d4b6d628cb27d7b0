import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { spawnNodeChild } from "../core/children/child.ts"
import { silentLogger } from "../core/logging/logger.ts"
import { createDocumentReader } from "./process/document-reader.ts"
import type { DocumentReader } from "./process/document-reader.ts"
import { OcrNeeded, ParseFailure } from "./parser.ts"
import { findFormatByFileName } from "./registry.ts"

const documents = fileURLToPath(new URL("../../../../shared/corpus/documents/", import.meta.url))
const list = `${documents}fixtures.tsv`

interface Fixture {
  name: string
  note: string
}

const fixtures: Fixture[] = existsSync(list)
  ? readFileSync(list, "utf8")
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split("\t"))
      .map(([name = "", , , note = ""]) => ({ name, note }))
  : [{ name: "those of the corpus", note: "not here" }] // A skipped test, so that the missing corpus is reported.

/** Words that a reader of these files would search for. */
const expected: Record<string, string> = {
  "french.txt": "c’est comme ci comme ça",
  "multi-language.txt": "español ABC adhoc prácticas",
  "write.txt": "sheetjs",
  "testMARKDOWN_dataURI.md": "Embedded resources",
  "testHTML_charset_utf16le.html": "This is a sample text",
  "testHTMLNoisyMetaEncoding_3.html": "وأعرب الاتحاد الجزائري",
  "boilerplate.html": "This is the real meat of the page",
  "testXML.xml": "creator: Rida Benjelloun",
  "test.json": "fetchKey: 99.xml",
  "test-columnar.csv": "10 | 100 | This is row 10 of 10",
  "linn.txt": "linn",
  "SampleDoc.doc": "I am a test document",
  "testWORD_various.doc": "This is a footnote.",
  "Bug51944.doc": "RE: xxxxxxx xxxxxx",
  "testWORD_2006ml.doc": "This is text within a shape",
  "testWORD_various.docx": "Row 2 Col 1 | Row 2 Col 2 | Row 2 Col 3",
  "heading123.docx": "Second paragraph",
  "comment.docx": "This is the second line",
  "delins.docx": "Apache Tika 0.3 has been released.",
  "stress009.docx": "微型固态硬盘",
  "bug65649.docx": "Комитет по информатизации и связи",
  "testRTFVarious.rtf": "Row 2 Col 1 | Row 2 Col 2 | Row 2 Col 3",
  "testRTFWindowsCodepage1250.rtf": "zażółć gęślą jaźń",
  "testRTFIgnoredControlWord.rtf": "The quick brown fox jumps over the lazy dog",
  "testODFwithOOo3.odt": "2 | two embedded",
  "testStyles.odt": "3. Three",
  "testPPT_various.ppt": "This is a footnote.",
  "38256.ppt": "in the Boardroom at",
  "45537_Footer.ppt": "testdoc test phrase",
  "testPPT_various.pptx": "This is a footnote.",
  "bar-chart.pptx": "1st Qtr | 8.2",
  "prs-notes.pptx": "Notes",
  "15228.xls": "6196 | 0.99492",
  "sample.xlsx": "The quick brown fox jumps over the lazy dog",
  "testEXCEL_dateFormats.xlsx": "1996-08-10",
  "WithVariousData.xlsx": "Comment #1",
  "AutoFilter.ods": "XLSX (Excel 2007+)",
  "SampleSS.ods": "I'm in bold blue, on a yellow background",
  "attachment_test_msg.msg": "euro : € (20AC)",
  "outlook_30_msg.msg": "shutting down the IN-SPIRE servers",
  "ASCII_CP1251_LCID1049.msg": "Body автоматически Body",
  "keywords.msg": "Currently To Do",
  "attachment_msg_pdf.msg": "Blah blah blah",
  "testPKCS17Sig-v2.xml.p7m": "nomeAllegato: link.pdf",
  "testPKCS7_signed_data_ind.p7m": "text",
  "testPKCS7_signed_data_def.pem": "text",
  "testPDF.pdf": "Tika - Content Analysis Toolkit",
  "testPDFVarious.pdf": "This is a footnote.",
  "testPDF_acroform3.pdf": "TIKA-1226",
  "testPDFTwoTextBoxes.pdf": "Left column line 1\nLeft column line 2",
  "testOCR.pdf": "Happy New Year 2003!",
  "ccitt.pdf": "state-of-the-art composition and performance tool",
  "multipage.pdf": "with a plain face, on the throne of England",
  "phototest.tif": "The quick brown dog jumped over the",
  "8087_054.3B.tif": "they didn’t take the city",
  "phototest-rotated-R.png": "The quick brown dog jumped over the",
  "testOCR.png": "This file contains some words.",
  "testTIFF_multipage.tif": "Multipage\nTIFF\nExample\nPage 2",
  "python.bmp": "python",
  "bug1978317.pdf": "aaaaaaaaaa",
  "phototest.gold.txt": "ocr code and see if it works on all types",
  "8087_054.3B.txt": "Adriatic Sea sparkling below",
}

/** Files without text: empty shapes, a sheet without cells, images without words. */
const filesWithoutText = new Set([
  "SmartArt.pptx",
  "testEXCEL_95.xls",
  "testWEBP.webp",
  "testGIF.gif",
  "testBMP.bmp",
])

/** Skipped: three rotated pages take half a minute. Rotated images have their own tests, and the PDF benchmark reads this file. */
const slowest = "cardinal.pdf"

describe("real documents", { tags: "corpus" }, () => {
  let reader: DocumentReader
  let languages: string
  beforeAll(() => {
    languages = mkdtempSync(join(tmpdir(), "ocr-"))
    const ocrLanguages = join(languages, "languages")
    reader = createDocumentReader({ spawn: spawnNodeChild, logger: silentLogger, slots: 1, ocrLanguages })
  })
  afterAll(async () => {
    await reader[Symbol.asyncDispose]()
    rmSync(languages, { recursive: true })
  })

  const read = async (name: string, ocr: boolean): Promise<string> => {
    let text = ""
    for await (const block of reader.read({ path: `${documents}${name}`, name }, { ocr })) {
      text += `${block.text}\n`
    }
    return text
  }

  const chosen = fixtures.filter(({ name }) => name !== slowest)
  // A parser may need this much clock time on a busy machine.
  test.for(chosen)("$name ($note)", { timeout: 600_000 }, async ({ name, note }) => {
    let text = ""
    let failure: unknown
    try {
      text = await read(name, false).catch((error: unknown) => {
        if (error instanceof OcrNeeded) return read(name, true)
        throw error
      })
    } catch (error) {
      failure = error
    }
    const hostile = note.startsWith("!")
    const builtIn = findFormatByFileName(name)?.load !== undefined || name.endsWith(".pem")
    if (!builtIn || hostile) expect(failure).toBeInstanceOf(ParseFailure)
    else {
      expect(failure).toBeUndefined()
      if (filesWithoutText.has(name)) return expect(text.trim()).toBe("")
      expect(text.toLowerCase()).toContain(
        expected[name]?.toLowerCase() ?? "a phrase of this document, in `expected`",
      )
    }
  })
})
