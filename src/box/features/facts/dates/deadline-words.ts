const words = (list: string): ReadonlySet<string> => new Set(list.split(" "))

/** Words right before a date that make it a deadline. */
const until = words("by until till before entro fino prima spätestens bis vor avant jusqu hasta antes")
/** Words that may come between these and the date. */
const between = words(
  "the of on at end close midnight noon and no later than including non e oltre non il lo la l al alle del della giorno data fine zum dem den der das ende am mit ablauf des le au plus tard la les fin du el los de a más tardar " +
    "monday tuesday wednesday thursday friday saturday sunday lunedì martedì mercoledì giovedì venerdì sabato domenica montag dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo",
)
/** Words anywhere near a date that make it a deadline. */
const about =
  /(?<!\p{L})(?:deadlines?|(?:is|are|be|falls?|payment|balance) due(?!(?: \p{L}{1,20})? to(?!\p{L}))|due (?:date|by|on)|expir(?:y|ation|es?|ed)|no later than|not later than|closing date|scad(?:e|ono|enz[ae])|termine|entro e non oltre|al più tardi|frist(?:en|ende|ablauf)?|\p{L}{2,20}frist|stichtag|fällig(?:keit)?|ablauf(?:datum)?|spätestens|läuft ab|échéances?|date limite|au plus tard|expire|vencimiento|vence|fecha límite|plazo|a más tardar)(?!\p{L})/iu
const nearBefore = 80
const nearAfter = 60
const maxBetween = 5

const dueColumn = /^\s*due\s*$/i

/** Returns whether the text around a date says that something must be done by then. */
export function isDeadline(
  text: string,
  { start, end }: { start: number; end: number },
  column = "",
): boolean {
  if (about.test(column) || dueColumn.test(column)) return true
  const before = afterLastEnd(text.slice(Math.max(0, start - nearBefore), start))
  if (followsUntil(before) || about.test(before)) return true
  return about.test(beforeFirstEnd(text.slice(end, end + nearAfter)))
}

function followsUntil(before: string): boolean {
  const last =
    before
      .toLowerCase()
      .match(/[\p{L}'’]+/gu)
      ?.flatMap((word) => word.split(/['’]/)) ?? []
  for (const word of last.toReversed().slice(0, maxBetween)) {
    if (until.has(word)) return true
    if (!between.has(word)) return false
  }
  return false
}

const afterLastEnd = (text: string) => text.slice(text.search(/[.!?;]\s[^.!?;]*$/) + 1)
const beforeFirstEnd = (text: string) => text.split(/[.!?;](?:\s|$)/, 1)[0] ?? ""
