import { getLanguage, type TableLanguage } from "./table-words.ts"

/**
 * Returns the columns if a question wants a complete list as a table, in English, Italian or German. Returns null if it doesn't, or if in
 * doubt.
 */
export function columnsAsked(question: string): string[] | null {
  const text = question.slice(0, maxQuestionLength).normalize("NFC").replace(/\s+/g, " ").trim()
  const named = namedColumns.exec(text)?.[1]
  const columns = named === undefined ? listColumns(text) : getItems(named)
  if (columns === null || columns.some((column) => column === "" || column.length > maxColumnLength))
    return null
  return columns.length > 0 && columns.length <= maxColumns ? columns : null
}

const maxQuestionLength = 2_000
const maxColumnLength = 60
const maxColumns = 12

/** "a table with the columns Date, Amount and Party": the list of columns ends with its sentence. */
const namedColumns =
  /\b(?:table with (?:the )?columns?|tabella con le colonne|tabelle mit (?:den )?spalten)[: ]+([^.?!;\n]+)/i

/** "list every deadline with its document and page": the item to list, and the facts about each. */
const listWith: Record<TableLanguage, RegExp> = {
  en: /\b(?:list|name|enumerate|collect|extract|find|show(?: me)?|give (?:me|us)|write down) (?:(?:all|every|each|any)(?: of)? )?(?:the )?([^.?!;:]+?),? with (?<owning>its |their |the respective |his |her )?([^.?!;:]+)/i,
  it: /\b(?:elenca(?:mi|re)?|enumera|estrai|trova|mostra(?:mi)?|dammi|raccogli|nomina) (?:(?:tutt[ieo]|ogni|ciascun[ao]?) )?(?:(?:i|gli|le|la|il|lo) |l['’])?([^.?!;:]+?),? con (?<owning>(?:(?:il|la|i|gli|le|lo|l['’]) ?)?(?:loro|suo|sua|suoi|sue|relativ[oaie]|rispettiv[oaie]) )?([^.?!;:]+)/i,
  de: /\b(?:liste|list|nenn|zähl|finde?|zeig|gib|sammle|extrahier)\w* (?:mir |uns )?(?:bitte )?(?:(?:alle[sn]?|jede[nsmr]?|sämtliche[nsr]?) )?(?:(?:der|die|das|den) )?([^.?!;:]+?),? (?:(?:auf|zusammen),? )?mit (?<owning>ihre[nmrs]? |ihr |seine[nmrs]? |(?:dem |der |den )?(?:jeweilige[nmrs]?|zugehörige[nmrs]?) )?([^.?!;:]+)/i,
}

function listColumns(text: string): string[] | null {
  const language = getLanguage(text)
  const match = listWith[language].exec(text)
  const [, listed = "", , asked = ""] = match ?? []
  const items = getItems(asked)
  const isOfEach = match?.groups?.owning !== undefined || items.some((item) => isFact(item) || isOwn(item))
  if (listed === "" || !isOfEach || !items.every(looksLikeColumn)) return null
  return [capitalised(listed.trim()), ...items.filter((item) => !isOwn(item)).map(capitalised)]
}

const article =
  /^(?:(?:its|their|his|her|the|a|an|il|lo|la|i|gli|le|un|uno|una|loro|suo|sua|suoi|sue|der|die|das|den|dem|des|ein|eine|einen|einem|einer|ihr|ihre[nmrs]?|seine[nmrs]?|jeweilige[nmrs]?|relativ[oaie]|rispettiv[oaie]) |l['’])+/i

/** "Liste … mit Dokument und Seite auf" */
const verbEnd = / (?:auf|zusammen)$/i

const getItems = (asked: string): string[] =>
  asked
    .split(/\s*,\s*(?:(?:and|e|ed|und) )?|\s+(?:and|as well as|e|ed|und|sowie|&|\+)\s+/i)
    .map((item) => item.replace(article, "").replace(verbEnd, "").trim())
    .filter((item) => item !== "")

/** Columns that the box fills in itself, exactly. */
const own =
  /^(?:(?:name of the |nome del |name des )?(?:source )?(?:documents?|document names?|files?|file ?names?|sources?|pages?|page numbers?|sheets?|slides?|lines?|places?|locations?|where (?:it|they) (?:stands?|is|are)|documento|documenti|nome del documento|nome del file|fonte|fonti|pagina|pagine|numero di pagina|foglio|diapositiva|riga|posizione|punto|dokument(?:en|e|s)?|dokumentname|datei(?:en)?|dateiname|quelle|seiten?|seitenzahl|blatt|folie|zeile|fundstelle|stelle))$/i
const isOwn = (item: string) => own.test(item)

/** Common facts about list items. */
const facts =
  /(?:^|\s)(?:dates?|due dates?|deadlines?|amounts?|prices?|values?|costs?|names?|numbers?|authors?|part(?:y|ies)|status|owners?|totals?|currenc(?:y|ies)|data|date|scadenz[ae]|import[oi]|prezz[oi]|valor[ei]|cost[oi]|nom[ei]|numer[oi]|autor[ei]|part[ei]|stato|totale|valuta|datum|fristen?|termine?|beträge?n?|preise?n?|werte?n?|kosten|namen?|nummern?|autor(?:en)?|partei(?:en)?|summen?|währung)$/i
const isFact = (item: string) => facts.test(item)

/** "a value over 500 euros" filters the items; it isn't a column. */
const looksLikeColumn = (item: string): boolean =>
  item.split(" ").length <= 4 &&
  !/\d|\b(?:over|under|above|below|from|than|after|before|sopra|sotto|oltre|dopo|prima|über|unter|nach|vor|ab|bis)\b/i.test(
    item,
  )

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
