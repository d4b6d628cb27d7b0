/** What the places of a document are called. */
export type UnitWords = Record<"page" | "sheet" | "row" | "slide" | "line", string>

/** In the languages that the box words what it writes into an answer. */
export const unitWords = {
  en: { page: "page", sheet: "sheet", row: "row", slide: "slide", line: "line" },
  it: { page: "pagina", sheet: "foglio", row: "riga", slide: "diapositiva", line: "riga" },
  de: { page: "Seite", sheet: "Blatt", row: "Zeile", slide: "Folie", line: "Zeile" },
} satisfies Record<string, UnitWords>
