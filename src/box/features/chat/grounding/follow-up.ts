import { findDates } from "../../../core/dates/find-dates.ts"
import { getTextLanguage } from "../../../engines/vectors/text/search-text.ts"

/** Words and patterns by which a question of a language refers to what was said before. */
interface Signals {
  /** Refer to something earlier wherever they are in the question. */
  references: RegExp
  /** Refer to something earlier unless the question names it in a clause before: "If the pump fails, who repairs it?" */
  pronouns: RegExp
  /** Refer to something earlier unless the question names it before: "Does Tesla publish its emissions?" */
  possessives: RegExp
  /** Uses of these words that refer to nothing, such as "it takes … to". They are removed first. */
  expletives: RegExp
  /** A noun with its article. */
  noun: RegExp
  /** Where a clause begins. */
  clause: RegExp
  /** Start of a question that is complete only with what was said before if it is short: "In 2027?" */
  prepositions: RegExp
  /** Words that name no subject. A question of only these is a follow-up: "How much exactly?" */
  empty: ReadonlySet<string>
  /** Whole questions without a subject. */
  incomplete: RegExp
}

const setOf = (words: string) => new Set(words.split(" "))

const languages: Record<string, Signals> = {
  en: {
    references:
      /\b(?:(?:what|who|where|how|anything|anyone|something|nothing|nobody) else|the (?:same|former|latter|others?|first|second|third|last|next|previous|rest)(?: ones?)?(?=\s*(?:[?.!]|$)| of (?:them|these|those))|(?:which|that|this|other|another|same|such|first|second|last|next|new|old) ones?|(?:all|both|each|either|neither|none|one|some|any|most) of (?:them|these|those)|(?:mentioned|said|described|listed|named|given) (?:above|before|earlier)|more (?:details?|about (?:it|that|this|them))|(?:is|does|are|do) the same|(?:any|what|which) others?|in that case|that way)\b|\b(?:is|was|does|did|do|are|were|can|could|should|would|will|about|of|with|for|from|on|by|than|like|after|before|in|at|to|why|mean|explain|over|under) (?:that|this|those|these)\b(?! (?:year|month|week|quarter|time|day|morning|evening|is\b|are\b))|^(?:this|that|these|those)\b|\b(?:instead|as well|too)\s*[?.!]*$/iu,
    pronouns: /\b(?:he|she|it|they|him|them|there|then)\b/iu,
    possessives: /\b(?:his|her|hers|its|their|theirs)\b/iu,
    expletives:
      /\b(?:is|are|was|were|will|would|be|has been|have been) there\b|\bthere (?:is|are|was|were|will|would|has|have|any)\b|\b(?:is|was|does|would|will|did|can) it (?:(?:still|also|usually|really|always) )?(?:take|cost|possible|necessary|allowed|legal|illegal|required|true|mandatory|permitted|okay|ok|safe|normal|worth|important|better|best|mean|matter)\b(?=.* (?:to|that|for|if|when)\b)|\bit (?:is|was|takes|took|costs|means) (?:\p{L}+ )?(?:to|that|if)\b|\bwhat time is it\b|\b(?:if|or|and) then\b/giu,
    noun: /\b(?:the|a|an|our|my|each|every|which|your)\s+\p{L}+/iu,
    clause: /[,;:.?!]|\b(?:and|or|but|if|when|because|before|after|that|which|who|while|so|than|where)\b/iu,
    prepositions:
      /^(?:in|on|at|for|from|until|till|since|by|with|without|under|to|of|after|before|during|between|per|only|not|even)\b/iu,
    empty: setOf(
      "what which who whom whose when where why how much many often long far exactly precisely really sure so is are was were do does did can could would should will has have had much more less any some the a an of in on at by for to with from about until since please okay ok yes no not that's it's why's for example e.g",
    ),
    incomplete:
      /^(?:please )?(?:can you |could you )?(?:(?:tell|show|give) me )?(?:some |a few |an? |the )?(?:more|another|others?|explain|elaborate|continue|go on|summari[sz]e|translate|shorten|examples?|details?|list them)(?: (?:it|this|that|them|example|examples|details?|in detail|please))*[\s.?!]*$|^(?:who|what) \p{Ll}+(?:ed|s|d)?\s*\?*$/iu,
  },
  it: {
    references:
      /\b(?:(?:che|cos|cosa|chi|quale|qualcos|nient)['’ ]?altr[oiae]|(?:gli|le|i|l['’]|un|un['’])\s?altr[oiae]|(?:quali|che|quanti|quante) altr[ie]|(?:vale|valgono|si applica|si applicano) anche|lo stesso|la stessa|gli stessi|le stesse|(?:il|la|l['’])\s?(?:primo|prima|secondo|seconda|terzo|terza|ultimo|ultima|precedente)(?=\s*(?:[?.!]|$))|(?:di|su|con|per|a|da|in) (?:questo|questa|questi|queste|quello|quella|quelli|quelle)(?= ?[?.!]|$)|in (?:questo|quel) caso|(?:più|altri) dettagli|(?:tutti|tutte|entrambi|entrambe|ognuno|ognuna|uno|una|nessuno) (?:e due|di (?:loro|essi|questi|quelli))|(?:detto|descritto|citato|indicato) (?:prima|sopra))\b|\bquest[oaie]\b(?! (?:anno|mese|settimana|trimestre|mattina|sera|volta))|\bquell[oaie]\b(?! (?:che|cui))|\bquel\b(?! che)|\bciò\b(?! che)/iu,
    pronouns:
      /\b(?:lui|esso|essa|essi|esse|costui|ne (?=\p{L})|(?:lo|la|li|le|gli|glielo|gliela) (?=(?:ha|hanno|ho|hai|abbiamo|avete|è|era|aveva|può|posso|possiamo|possono|deve|devo|devono|dobbiamo|pago|paga|pagano|fa|fanno|usa|usano|dice|dicono|chiede|vende|firma|trovo|trova)\b)|l['’](?=(?:ha|hanno|ho|hai|abbiamo|aveva|avevano)\b)|lì|là)/iu,
    possessives: /\b(?:suo|sua|suoi|sue|loro)\b/iu,
    expletives: /\b(?:ce|se) ne\b(?=.* (?:di|del|della|dei|delle)\b)/giu,
    noun: /\b(?:il|lo|la|i|gli|le|un|uno|una|del|dello|della|dei|degli|delle|al|allo|alla|ai|nel|nella|sul|sulla|dal|dalla)\s+\p{L}+|\b(?:l|un|dell|all|nell|sull|dall)['’]\p{L}+/iu,
    clause: /[,;:.?!]|\b(?:e|ed|o|ma|se|quando|perché|prima|dopo|che|mentre)\b/iu,
    prepositions:
      /^(?:in|a|ad|al|alla|nel|nella|per|da|dal|dalla|fino|con|senza|sotto|di|del|della|dopo|prima|durante|tra|fra|entro|solo|anche|neanche)\b/iu,
    empty: setOf(
      "che cosa cos quale quali chi quando dove perché perche come quanto quanta quanti quante spesso esattamente precisamente è sono era ha hanno di del in a per da con più piu meno ancora davvero sicuro ok sì si no non e ad esempio tempo volte mai",
    ),
    incomplete:
      /^(?:(?:dimmi|dammi|mostrami|fammi) )?(?:di |un |altri |qualche )?(?:più|ancora|altro|altri|spiega|spiegami|approfondisci|continua|vai avanti|riassumi|traduci|accorcia|esempi|esempio|dettagli|elencali|elencale)(?: (?:meglio|ancora|dettagli|esempi|esempio))*[\s.?!]*$|^(?:chi|quando|quanto|quanti|quante|dove|come|perché)(?: (?:si|è|sono|ha|hanno|era|è stato|è stata|sono stati|sono state|non|deve|devono|può|possono|dura))* \p{Ll}+\s*\?*$/iu,
  },
  de: {
    references:
      /(?<!\p{L})(?:(?:[Ww]as|[Ww]er|[Ww]o|[Ww]ie|etwas|jemand|nichts|noch) (?:sonst|anderes|noch)|[Ww]elche[rsnm]? (?:anderen?|weiteren?)|sonst noch|(?:der|die|das|den|dem)selben?|(?:der|die|das|den|dem) (?:anderen?|erste|ersten|zweite|zweiten|dritte|dritten|letzte|letzten|vorige|vorigen)(?=\s*(?:[?.!]|$))|diese[rsmn]?(?! (?:Jahr|Jahres|Monat|Monats|Woche|Quartal|Tage|Tagen))|jene[rsmn]?|(?<!, )(?:davon|dafür|dazu|darin|daran|darauf|dabei|dagegen|darüber|daraus|dadurch|danach|davor|darum|damit)|dort|in (?:diesem|dem) Fall|mehr (?:dazu|darüber|Details|Einzelheiten)|(?:beide|alle|jede|jeder|keine|keiner|eine|einer|eines)[rns]? (?:davon|von ihnen))(?!\p{L})|(?<!\p{L})(?:[Ii]st|[Ww]ar|bedeutet|[Hh]eißt|[Gg]eht|[Kk]ostet|[Gg]ilt|macht|[Ff]ür|[Üü]ber|[Ww]ird|[Ww]urde|[Ww]arum|[Ww]ieso|[Hh]at|[Kk]ann|[Mm]uss|sich|[Ss]teht) das(?!\p{L})(?! (?:\p{L}+ )?\p{Lu})|(?<!\p{L})das\s*\?*$|^Das (?:ist|war|gilt|heißt)(?!\p{L})/u,
    pronouns: /(?<!\p{L})(?:[Ee]r|(?<=\s)sie|[Ee]s|ihm|ihn|ihnen|(?<=\s)ihr(?! \p{Lu}))(?!\p{L})/u,
    possessives:
      /(?<!\p{L})(?:ihr(?= \p{Lu})|ihre[rsmn]?|sein(?= \p{Lu})|seine[rsmn]?|dessen|deren)(?!\p{L})/u,
    expletives:
      /(?<!\p{L})(?:gibt|gab|gäbe|geht|ging|kommt|handelt|lohnt|bedarf|braucht) es(?!\p{L})|(?<!\p{L})(?:ist|war|wäre|wird|dauert) es(?=(?: |, )(?:möglich|erlaubt|verboten|nötig|notwendig|wahr|richtig|üblich|sinnvoll|zulässig|schwer|leicht|besser|wichtig|her|bis)(?!\p{L})| .* (?:zu|dass|wenn|ob|bis) )|(?<!\p{L})es (?:gibt|gab|geht um|handelt sich)(?!\p{L})/giu,
    noun: /(?<=\s)\p{Lu}\p{L}+/u,
    clause:
      /[,;:.?!]|(?<!\p{L})(?:und|oder|aber|wenn|weil|bevor|nachdem|dass|während|sobald|falls)(?!\p{L})/iu,
    prepositions:
      /^(?:in|im|an|am|auf|für|von|vom|bis|seit|mit|ohne|unter|zu|zum|zur|aus|nach|vor|während|zwischen|bei|beim|pro|ab|nur|nicht|auch)(?!\p{L})/iu,
    empty: setOf(
      "was welche welcher welches welchen wer wen wem wessen wann wo wohin woher warum wieso weshalb wie viel viele oft lange weit genau sicher ist sind war waren hat haben wird werden in an für von bis seit mit mehr weniger noch bitte ok ja nein nicht zum beispiel denn so",
    ),
    incomplete:
      /^(?:bitte )?(?:(?:erzähl|zeig|gib) mir )?(?:ein |noch |einige )?(?:mehr|weitere|erkläre?|weiter|mach weiter|fasse zusammen|übersetze?|kürze?|Beispiele?|Details|Einzelheiten|zähle sie auf)(?: (?:das|dies|es|genauer|Beispiele?|Details|Einzelheiten|bitte|ein))*[\s.?!]*$|^(?:wer|was|wann|wo|wie) \p{Ll}+\s*\?*$/iu,
  },
}

/** Continues what was said before, in English, Italian, German, French and Spanish. */
const continuation =
  /^[\s¿(]*(?:and|but|or|also|so|what about|how about|e|ed|ma|o|oppure|anche|allora|quindi|invece|però|poi|und|aber|oder|auch|also|dann|was ist mit|wie (?:sieht|steht) es (?:mit|um|bei)|et|mais|ou|alors|y|pero|entonces|qué tal|qué hay de)(?=[\s,]+\p{L}?[\p{L}\p{N}])/iu

/** Longer questions name their subject. */
const maxLength = 200
const maxShortWords = 4

/** Whether a question is nothing but a date, or a year. */
function isDate(text: string): boolean {
  const [date] = findDates(text)
  const rest = date ? text.slice(0, date.start) + text.slice(date.end) : text.replace(/\b\d{4}\b/, "")
  return rest.length < text.length && !/[\p{L}\p{N}]/u.test(rest)
}

/**
 * Returns whether a question can be understood only with what was said before it, according to its wording: "and in 2027?", "what about
 * Anna?", "who signed it?". In languages without signals here, only very short questions are.
 */
export function needsContext(question: string): boolean {
  const text = question.replaceAll(/\s+/g, " ").trim()
  if (text === "" || text.length > maxLength) return false
  const words = text.match(/[\p{L}\p{N}'’]+/gu) ?? []
  if (continuation.test(text) || isDate(text)) return true
  if (words.length === 1 && text.endsWith("?")) return true
  // The language of a few words is often detected wrongly.
  if (words.length <= maxShortWords && Object.values(languages).some((one) => isIncomplete(text, words, one)))
    return true
  const textLanguage = getTextLanguage(text, "query")
  const known = textLanguage === undefined ? Object.values(languages) : [languages[textLanguage]]
  return known.some((signals) => signals !== undefined && refersBack(text, words, signals))
}

/** Returns whether a question names no subject. */
const isIncomplete = (text: string, words: readonly string[], { prepositions, empty, incomplete }: Signals) =>
  words.every((word) => empty.has(word.toLowerCase())) ||
  incomplete.test(text) ||
  (words.length <= maxShortWords && prepositions.test(text))

function refersBack(text: string, words: readonly string[], signals: Signals): boolean {
  const { references, pronouns, possessives, expletives } = signals
  if (isIncomplete(text, words, signals)) return true
  const plain = text.replaceAll(expletives, " ")
  if (references.test(plain)) return true
  const isNamed = (index: number, before: string) => index > 0 && namesSubject(before, signals)
  const possessive = possessives.exec(plain)
  if (possessive && !isNamed(possessive.index, plain.slice(0, possessive.index))) return true
  const pronoun = pronouns.exec(plain)
  if (!pronoun) return false
  const before = plain.slice(0, pronoun.index)
  return !(namesSubject(before, signals) && signals.clause.test(before.trimStart().slice(1)))
}

/** A noun with its article, or a name. */
const namesSubject = (before: string, { noun }: Signals) =>
  noun.test(before) || /(?<=\S\s)\p{Lu}\p{L}+/u.test(before)
