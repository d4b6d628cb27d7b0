import { makePdf } from "../../src/box/parsers/testing/make-pdf.ts"
import {
  docxBytes,
  openDocumentBytes,
  pptxBytes,
  xlsxBytes,
} from "../../src/box/parsers/testing/office-files.ts"

const external = (type: string, target: string) =>
  `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId9" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}" TargetMode="External"/></Relationships>`
const paragraph = "<w:p><w:r><w:t>A letter with a picture elsewhere.</w:t></w:r></w:p>"

/** Documents that refer to other computers in every way that their formats allow. */
export function hostileDocuments(domain: string): Record<string, Buffer> {
  const at = (name: string) => `https://${name}.${domain}/x`
  const html = `<!doctype html><base href="${at("base")}"><link rel="preconnect" href="${at("preconnect")}"><link rel="stylesheet" href="${at("sheet")}">
    <meta http-equiv="refresh" content="0;url=${at("refresh")}"><p>A page with <a href="${at("link")}">a link</a>, <img src="${at("img")}" srcset="${at("srcset")} 2x">
    <iframe src="${at("frame")}"></iframe><object data="${at("object")}"></object><script src="${at("script")}"></script><video src="${at("video")}"></video>`
  const svg = `<?xml version="1.0"?><!DOCTYPE svg SYSTEM "${at("svg-dtd")}"><?xml-stylesheet href="${at("svg-sheet")}"?>
    <svg xmlns="http://www.w3.org/2000/svg"><image href="${at("svg-image")}"/><use href="${at("svg-use")}#a"/><text>A drawing</text><style>@import "${at("svg-import")}";</style></svg>`
  const xml = `<?xml version="1.0"?><!DOCTYPE d [<!ENTITY e SYSTEM "${at("entity")}"><!ENTITY % p SYSTEM "${at("parameter")}"> %p;]>
    <d xmlns:i="http://www.w3.org/2001/XInclude"><i:include href="${at("include")}"/>A text &e;</d>`
  const mail = `From: a@${domain}\r\nTo: b@${domain}\r\nSubject: A letter\r\nMIME-Version: 1.0\r\nContent-Type: text/html\r\nDisposition-Notification-To: c@receipt.${domain}\r\n\r\n${html}`
  const pdf = makePdf([{ lines: [{ text: `A page that leads to ${at("pdf-text")}` }] }])
    .toString("latin1")
    .replace("/Type /Catalog", `/Type /Catalog /OpenAction << /S /URI /URI (${at("pdf-action")}) >>`)
  const field = (code: string) =>
    `<w:p><w:fldSimple w:instr="${code}"><w:r><w:t>A field</w:t></w:r></w:fldSimple><w:r><w:instrText>${code}</w:instrText></w:r></w:p>`
  const fields = [
    `INCLUDEPICTURE ${at("docx-field")}`,
    `INCLUDETEXT ${at("docx-text")}`,
    `DDEAUTO cmd ${at("docx-dde")}`,
  ]
  const formulas = ["webservice", "importxml", "image"].map(
    (name) => `${name.toUpperCase()}("${at(`formula-${name}`)}")`,
  )
  const xlsxRow = (row: number, name: string, formula: string) =>
    `<row r="${row}"><c r="A${row}" t="inlineStr"><is><t>${name}</t></is></c><c r="B${row}"><f>${formula.replaceAll('"', "&quot;")}</f><v>${row}</v></c></row>`
  const odsRow = (name: string, formula: string) =>
    `<table:table-row><table:table-cell office:value-type="string"><text:p>${name}</text:p></table:table-cell><table:table-cell table:formula="of:=${formula.replaceAll('"', "&quot;")}" office:value-type="float" office:value="1"><text:p>1</text:p></table:table-cell></table:table-row>`
  return {
    "page.html": Buffer.from(html),
    "drawing.svg": Buffer.from(svg),
    "data.xml": Buffer.from(xml),
    "letter.eml": Buffer.from(mail),
    "notes.md": Buffer.from(
      `# Notes\n\n![](${at("markdown")}) [x](${at("markdown-link")}) <img src="${at("markdown-html")}">`,
    ),
    "page.pdf": Buffer.from(pdf, "latin1"),
    "letter.docx": docxBytes(paragraph + fields.map(field).join(""), {
      "word/_rels/document.xml.rels": external("image", at("docx-image")),
      "word/_rels/settings.xml.rels": external("attachedTemplate", at("docx-template")),
      "word/settings.xml": `<w:settings><w:attachedTemplate r:id="rId9"/></w:settings>`,
    }),
    "slides.pptx": pptxBytes(["<a:p><a:r><a:t>A slide</a:t></a:r></a:p>"], {
      "ppt/slides/_rels/slide1.xml.rels": external("video", at("pptx-video")),
    }),
    "sums.xlsx": xlsxBytes(
      `<row r="1"><c r="A1" t="inlineStr"><is><t>Name</t></is></c><c r="B1" t="inlineStr"><is><t>Sum</t></is></c></row>` +
        formulas.map((formula, index) => xlsxRow(index + 2, at("xlsx-text"), formula)).join(""),
      {
        "xl/externalLinks/_rels/externalLink1.xml.rels": external("externalLinkPath", at("xlsx-link")),
        "xl/externalLinks/externalLink1.xml": `<externalLink><ddeLink ddeService="cmd" ddeTopic="${at("xlsx-dde")}"/></externalLink>`,
        "xl/connections.xml": `<connections><connection id="1" type="4" refreshOnLoad="1"><webPr url="${at("xlsx-query")}"/></connection></connections>`,
      },
    ),
    "sums.ods": openDocumentBytes(
      "spreadsheet",
      `<table:table table:name="Sums"><table:table-source xlink:href="${at("ods-source")}"/>${formulas.map((formula) => odsRow(at("ods-text"), formula)).join("")}</table:table>`,
    ),
    "sums.csv": Buffer.from(
      `name,sum\n${formulas.map((formula) => `"=${formula.replaceAll('"', '""')}",1`).join("\n")}\n`,
    ),
    "letter.odt": openDocumentBytes(
      "text",
      `<text:p>A letter <draw:image xlink:href="${at("odt-image")}"/><text:a xlink:href="${at("odt-link")}">x</text:a></text:p>`,
    ),
  }
}
