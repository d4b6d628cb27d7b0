import type { Location } from "../contract/location.ts"

/** Names of the units in a document. */
export type UnitWords = Record<"page" | "sheet" | "row" | "slide" | "line" | "message" | "image", string>

/** In the languages in which the box writes its own text in an answer. */
export const unitWords = {
  en: {
    page: "page",
    sheet: "sheet",
    row: "row",
    slide: "slide",
    line: "line",
    message: "message",
    image: "image",
  },
  it: {
    page: "pagina",
    sheet: "foglio",
    row: "riga",
    slide: "diapositiva",
    line: "riga",
    message: "messaggio",
    image: "immagine",
  },
  de: {
    page: "Seite",
    sheet: "Blatt",
    row: "Zeile",
    slide: "Folie",
    line: "Zeile",
    message: "Nachricht",
    image: "Bild",
  },
} satisfies Record<string, UnitWords>

/** Describes a passage's location in its document, in English or another language. */
export function describeLocation(
  { page, sheet, row, slide, line, heading, message, entry, image }: Location,
  units: UnitWords = unitWords.en,
): string {
  return [
    message !== undefined && `${units.message} ${message}`,
    entry !== undefined && entry,
    page !== undefined && `${units.page} ${page}`,
    sheet !== undefined && `${units.sheet} ${sheet}`,
    row !== undefined && `${units.row} ${row}`,
    slide !== undefined && `${units.slide} ${slide}`,
    image !== undefined && `${units.image} ${image}`,
    heading !== undefined && heading !== "" && heading,
    line !== undefined && row === undefined && `${units.line} ${line}`,
  ]
    .filter((part) => part !== false)
    .join(", ")
}
