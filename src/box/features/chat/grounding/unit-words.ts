/** Names of the units in a document. */
export type UnitWords = Record<"page" | "sheet" | "row" | "slide" | "line", string>

/** In the languages in which the box writes its own text in an answer. */
export const unitWords = {
  en: { page: "page", sheet: "sheet", row: "row", slide: "slide", line: "line" },
  it: { page: "pagina", sheet: "foglio", row: "riga", slide: "diapositiva", line: "riga" },
  de: { page: "Seite", sheet: "Blatt", row: "Zeile", slide: "Folie", line: "Zeile" },
} satisfies Record<string, UnitWords>
