import type { Location } from "../../../../../shared/contract/location.ts"
import { unitWords, type UnitWords } from "../../grounding/unit-words.ts"

/** Languages in which the box can label a table, chosen by the question's language. */
export type TableLanguage = "en" | "it" | "de"

/** The box's own words in a table, which appears in an answer as if a model had written it. */
export interface TableWords {
  document: string
  place: string
  nothing: string
  units: UnitWords
}

export const tableWords: Record<TableLanguage, TableWords> = {
  en: {
    document: "Document",
    place: "Place",
    nothing: "Nothing of this stands in what was read.",
    units: unitWords.en,
  },
  it: {
    document: "Documento",
    place: "Punto",
    nothing: "In ciò che è stato letto non c’è nulla di simile.",
    units: unitWords.it,
  },
  de: {
    document: "Dokument",
    place: "Stelle",
    nothing: "Davon steht nichts in dem, was gelesen wurde.",
    units: unitWords.de,
  },
}

/** Words that are frequent in questions and belong to only one of the languages. */
const languageWords: Record<TableLanguage, RegExp> = {
  en: /\b(?:the|all|every|each|with|its|their|and|of|make|table|list|columns?)\b/gi,
  it: /\b(?:il|lo|la|gli|le|tutt[ieoa]|ogni|con|loro|elenca\w*|e|di|dei|delle|una|tabella|colonne|estrai|trova)\b/gi,
  de: /\b(?:der|die|das|den|alle|jede[nsmr]?|mit|ihre[nmrs]?|und|von|eine|tabelle|spalten|liste|nenne?)\b/gi,
}

/** Returns the language of a question by its commonest words; English if in doubt. */
export function getLanguage(question: string): TableLanguage {
  const count = (language: TableLanguage) => (question.match(languageWords[language]) ?? []).length
  return (["it", "de"] as const).reduce<TableLanguage>(
    (best, language) => (count(language) > count(best) ? language : best),
    "en",
  )
}

/** Describes a location in words. Includes the heading only if the document has no pages or similar units. */
export function describeLocation(location: Location, { units }: TableWords): string {
  const told = (["page", "sheet", "slide", "row", "line"] as const).flatMap((unit) =>
    location[unit] === undefined ? [] : [`${units[unit]} ${location[unit]}`],
  )
  return told.length > 0 ? told.join(", ") : (location.heading ?? "")
}
