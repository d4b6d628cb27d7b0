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

/** Documents that name other computers in every way that their formats have. */
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
  return {
    "page.html": Buffer.from(html),
    "drawing.svg": Buffer.from(svg),
    "data.xml": Buffer.from(xml),
    "letter.eml": Buffer.from(mail),
    "notes.md": Buffer.from(
      `# Notes\n\n![](${at("markdown")}) [x](${at("markdown-link")}) <img src="${at("markdown-html")}">`,
    ),
    "page.pdf": Buffer.from(pdf, "latin1"),
    "letter.docx": docxBytes(paragraph, {
      "word/_rels/document.xml.rels": external("image", at("docx-image")),
      "word/_rels/settings.xml.rels": external("attachedTemplate", at("docx-template")),
      "word/settings.xml": `<w:settings><w:attachedTemplate r:id="rId9"/></w:settings>`,
    }),
    "slides.pptx": pptxBytes(["<a:p><a:r><a:t>A slide</a:t></a:r></a:p>"], {
      "ppt/slides/_rels/slide1.xml.rels": external("video", at("pptx-video")),
    }),
    "sums.xlsx": xlsxBytes(
      `<row r="1"><c r="A1" t="inlineStr"><is><t>A sum</t></is></c><c r="B1"><f>WEBSERVICE("${at("xlsx-formula")}")</f><v>1</v></c></row>`,
      { "xl/externalLinks/_rels/externalLink1.xml.rels": external("externalLinkPath", at("xlsx-link")) },
    ),
    "letter.odt": openDocumentBytes(
      "text",
      `<text:p>A letter <draw:image xlink:href="${at("odt-image")}"/><text:a xlink:href="${at("odt-link")}">x</text:a></text:p>`,
    ),
  }
}
