/**
 * Classifies questions by their words, in English, Italian and German. If in doubt, a question is answered from passages, because reading
 * everything takes minutes.
 */

/** Sentences that ask for all of something. Each pattern matches at the start of a sentence or after a polite word. */
const summaries = [
  /\b(?:summari[sz]e|sum up|give (?:me |us )?(?:a |an )?(?:\w+ )?(?:summary|overview|outline) of|write (?:a |an )?(?:\w+ )?(?:summary|overview) of)\b/,
  /\b(?:riassum(?:i|imi|ere|ete|ilo|ili|ila|ile)|riepilog(?:a|ami|are)|fa(?:i|mmi) (?:un |una )?(?:riassunto|riepilogo|sintesi|panoramica)|sintetizza)\b/,
  /\b(?:fass\w* (?:\S+ ){0,6}zusammen|zusammenfass(?:en|ung)|gib (?:mir )?einen überblick)\b/,
]
const comparisons = [
  /\bcompare (?:all |both )?(?:the |these |those |my )?(?:\w+ )?(?:documents|files|contracts|reports|versions|offers|papers)\b/,
  /\bconfronta (?:tutti |tutte )?(?:i |gli |le |questi |queste )?(?:documenti|file|contratti|relazioni|versioni|offerte)\b/,
  /\bvergleich\w* (?:alle |beide )?(?:die |diese )?(?:dokumente|dateien|verträge|berichte|versionen|angebote)\b/,
]
/** Comparisons of the files attached to the question. */
const comparisonsOfThese = [
  /\bcompare (?:these|those|them|both|the two|this with|the attached|the attachments)\b/,
  /\b(?:what are the differences|what differs|what is the difference|what's the difference) between (?:these|those|them|the two|the attached|the files|the documents)\b/,
  /\b(?:confronta(?:li|le|re)?|paragona(?:li|le|re)?)(?: (?:quest[ie]|entramb[ie]|i due|le due|gli allegati|i file|i documenti)\b|$|[.!?])/,
  /\b(?:quali sono le differenze|che differenza c'è|che differenze ci sono) tra (?:quest[ie]|loro|i due|le due|gli allegati|i file|i documenti)\b/,
  /\bvergleich\w* (?:diese|sie|beide|die beiden|die anhänge)\b/,
]
/** Words that refer to the attached files. */
const pointing =
  /\b(?:this|these|it|them|both|attached|attachments?|quest[aeio]|allegat[aeio]|dies(?:e[rsmn]?)?|anh[aä]nge?|angehängte\w*)\b|\b(?:riassumil[aeio]|confrontal[ei]|fass\w* (?:das|es) zusammen)\b/
const lists = [
  /\b(?:list|name|enumerate|collect|extract|find|show(?: me)?|give (?:me|us)|write down) (?:me )?(?:all|every|each|any and all)\b/,
  /\b(?:list|enumerate) (?:out )?the\b/,
  /\b(?:what|which|who) are all\b/,
  /\b(?:table with (?:the )?columns?|tabella con le colonne|tabelle mit (?:den )?spalten)\b/,
  /\bhow many\b.*\b(?:in total|altogether|overall|in all)\b/,
  /\b(?:elenca(?:mi|re)?|enumera|estrai|trova|mostra(?:mi)?|dammi|raccogli|nomina) (?:tutt[ieo]|ogni|ciascun)/,
  /\b(?:elenca(?:mi|re)?|enumera) (?:i|gli|le) /,
  /\bquali sono tutt[ie]\b/,
  /\bquant[ieo]\b.*\b(?:in totale|in tutto|complessivamente)\b/,
  /\b(?:liste|list|nenn|zähl|finde?|zeig|gib|sammle|extrahier)\w* (?:mir |uns )?(?:bitte )?(?:alle[sn]?|jede[nsmr]?|sämtliche[nsr]?)\b/,
  /\b(?:welche|was) sind alle\b/,
  /\bwie ?viele?\b.*\b(?:insgesamt|im ganzen|alles in allem|zusammen)\b/,
]
/** Requests about something outside the files, or about earlier messages. */
const notOfFiles =
  /\b(?:this (?:answer|chat|conversation)|your (?:last )?answer|what you (?:just )?said|questa (?:risposta|chat|conversazione)|la tua risposta|diese[rs]? (?:antwort|unterhaltung)|deine (?:letzte )?antwort)\b/

/** Maximum number of characters of a question that are examined. */
const longest = 2_000
const folded = (question: string) =>
  question.slice(0, longest).normalize("NFC").toLowerCase().replace(/\s+/g, " ")

/** Returns whether a question wants a complete list, from which nothing may be lost. */
export const wantsList = (question: string): boolean => lists.some((one) => one.test(folded(question)))

/** Returns whether a question is about everything: a summary, a comparison or a complete list. */
export function wantsWhole(question: string): boolean {
  const text = folded(question)
  if (notOfFiles.test(text)) return false
  return [...summaries, ...comparisons, ...lists].some((one) => one.test(text))
}

/** Like `wantsWhole`, for a question with attached files, which may be about those files only. */
export const wantsWholeOfAttached = (question: string): boolean =>
  wantsWhole(question) || comparisonsOfThese.some((one) => one.test(folded(question)))

/** Returns whether a question refers to its attached files. */
export const pointsAtAttached = (question: string): boolean => pointing.test(folded(question))
