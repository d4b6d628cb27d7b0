import type { DocumentFile } from "../document/document-file.ts"
import { OfficePackage } from "../office/office-package.ts"
import { mainPart, getRelationships } from "../ooxml/relationships.ts"
import { failure, type ParseContext } from "../parser.ts"
import { attribute } from "../xml/xml-events.ts"
import { NumberFormats } from "./number-formats.ts"
import { SharedStrings } from "./shared-strings.ts"

/** An Excel workbook that has been read except for its sheets. */
export interface Workbook {
  file: OfficePackage
  /** The package part that contains each sheet. */
  sheets: { name: string; part: string }[]
  texts: readonly string[]
  formats: NumberFormats
}

export async function openWorkbook(
  bytes: DocumentFile,
  context: Pick<ParseContext, "note">,
): Promise<Workbook> {
  const file = await OfficePackage.open(bytes, context)
  const main = await mainPart(file, "xl/workbook.xml")
  if (!file.has(main)) throw failure("not_workbook")
  const formats = new NumberFormats()
  const strings = new SharedStrings()
  const named = await readSheetNames(file, main, formats)
  const related = await getRelationships(file, main)
  for (const { type, target } of related) {
    if (type === "styles") await file.read(target, formats)
    else if (type === "sharedStrings") await file.read(target, strings)
  }
  const sheets = named.flatMap(({ name, id }) => {
    const part = related.find((relationship) => relationship.id === id)?.target
    return part === undefined ? [] : [{ name, part }]
  })
  return { file, sheets, texts: strings.texts, formats }
}

async function readSheetNames(
  file: OfficePackage,
  main: string,
  formats: NumberFormats,
): Promise<{ name: string; id: string | undefined }[]> {
  const sheets: { name: string; id: string | undefined }[] = []
  await file.read(main, {
    open(name, attributes) {
      if (name === "sheet") sheets.push({ name: attributes["name"] ?? "", id: attribute(attributes, "id") })
      else if (name === "workbookPr") formats.date1904 = /^(1|true)$/.test(attributes["date1904"] ?? "")
    },
  })
  return sheets
}
