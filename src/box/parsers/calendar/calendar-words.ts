import type { CalendarTime } from "./calendar-dates.ts"
import { describeMoment, describeDay, parseTime } from "./calendar-dates.ts"

/** Labels and phrases in a language. */
interface CalendarWords {
  when: string
  start: string
  due: string
  completed: string
  repeats: string
  except: string
  also: string
  replaces: string
  where: string
  organiser: string
  attendees: string
  status: string
  progress: string
  priority: string
  categories: string
  contact: string
  link: string
  untitled: string
  more: (count: number) => string
  statuses: Readonly<Record<string, string>>
  replies: Readonly<Record<string, string>>
  /** "every week", "every 2 weeks". */
  every: (frequency: Frequency, interval: number) => string
  on: (days: string) => string
  onDays: (numbers: string) => string
  in: (months: string) => string
  /** "first Monday"; from the end if negative. */
  ordinal: (number: number, weekday: string, isMasculine: boolean) => string
  until: (day: string) => string
  times: (count: number) => string
}

type Frequency = "DAILY" | "WEEKLY" | "MONTHLY" | "YEARLY"

const unitsEn = { DAILY: "day", WEEKLY: "week", MONTHLY: "month", YEARLY: "year" }
const ordinalsEn = ["", "first", "second", "third", "fourth", "fifth"]
const unitsIt = {
  DAILY: ["giorno", "giorni"],
  WEEKLY: ["settimana", "settimane"],
  MONTHLY: ["mese", "mesi"],
  YEARLY: ["anno", "anni"],
} as const
const ordinalsIt = ["", "prim", "second", "terz", "quart", "quint"]

const english: CalendarWords = {
  when: "When",
  start: "Start",
  due: "Due",
  completed: "Completed",
  repeats: "Repeats",
  except: "Except",
  also: "Also on",
  replaces: "Instead of",
  where: "Where",
  organiser: "Organiser",
  attendees: "Attendees",
  status: "Status",
  progress: "Progress",
  priority: "Priority",
  categories: "Categories",
  contact: "Contact",
  link: "Link",
  untitled: "Untitled",
  more: (count) => `and ${count} more`,
  statuses: {
    CANCELLED: "cancelled",
    TENTATIVE: "tentative",
    "NEEDS-ACTION": "to do",
    COMPLETED: "completed",
    "IN-PROCESS": "in progress",
    DRAFT: "draft",
  },
  replies: { ACCEPTED: "accepted", DECLINED: "declined", TENTATIVE: "tentative", DELEGATED: "delegated" },
  every: (frequency, interval) =>
    interval === 1 ? `every ${unitsEn[frequency]}` : `every ${interval} ${unitsEn[frequency]}s`,
  on: (days) => `on ${days}`,
  onDays: (numbers) => `on day ${numbers}`,
  in: (months) => `in ${months}`,
  ordinal: (number, weekday) =>
    number > 0
      ? `the ${ordinalsEn[number]} ${weekday}`
      : number === -1
        ? `the last ${weekday}`
        : `the ${ordinalsEn[-number]} last ${weekday}`,
  until: (day) => `until ${day}`,
  times: (count) => (count === 1 ? "once" : `${count} times`),
}

const italian: CalendarWords = {
  when: "Quando",
  start: "Inizio",
  due: "Scadenza",
  completed: "Completata",
  repeats: "Ripetizione",
  except: "Tranne",
  also: "Anche",
  replaces: "Al posto di",
  where: "Dove",
  organiser: "Organizzatore",
  attendees: "Partecipanti",
  status: "Stato",
  progress: "Avanzamento",
  priority: "Priorità",
  categories: "Categorie",
  contact: "Contatto",
  link: "Collegamento",
  untitled: "Senza titolo",
  more: (count) => `e altri ${count}`,
  statuses: {
    CANCELLED: "annullato",
    TENTATIVE: "provvisorio",
    "NEEDS-ACTION": "da fare",
    COMPLETED: "completato",
    "IN-PROCESS": "in corso",
    DRAFT: "bozza",
  },
  replies: { ACCEPTED: "accettato", DECLINED: "rifiutato", TENTATIVE: "forse", DELEGATED: "delegato" },
  every: (frequency, interval) =>
    interval === 1 ? `ogni ${unitsIt[frequency][0]}` : `ogni ${interval} ${unitsIt[frequency][1]}`,
  on: (days) => `di ${days}`,
  onDays: (numbers) => `il giorno ${numbers}`,
  in: (months) => `a ${months}`,
  ordinal: (number, weekday, isMasculine) => {
    const ending = isMasculine ? "o" : "a"
    const which = number === -1 ? `ultim${ending}` : `${ordinalsIt[Math.abs(number)]}${ending}`
    return number < -1 ? `${which} ultim${ending} ${weekday}` : `${which} ${weekday}`
  },
  until: (day) => `fino a ${day}`,
  times: (count) => (count === 1 ? "una volta" : `${count} volte`),
}

/** Returns labels in the language if they exist in it, otherwise in English. */
export const calendarWords = (language: string): CalendarWords => (language === "it" ? italian : english)

const frequencies: readonly string[] = ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"] satisfies Frequency[]
const isFrequency = (text: string): text is Frequency => frequencies.includes(text)

const weekdayIndexes = new Map(["MO", "TU", "WE", "TH", "FR", "SA", "SU"].map((code, index) => [code, index]))
const sunday = 6

const getWeekday = (index: number, language: string): string =>
  // 1 January 2024 was a Monday.
  new Intl.DateTimeFormat(language, { weekday: "long", timeZone: "UTC" }).format(Date.UTC(2024, 0, 1 + index))
const getMonth = (month: number, language: string): string =>
  new Intl.DateTimeFormat(language, { month: "long", timeZone: "UTC" }).format(Date.UTC(2024, month - 1, 1))

const simpleParts = new Set(["FREQ", "INTERVAL", "BYDAY", "BYMONTHDAY", "BYMONTH", "COUNT", "UNTIL", "WKST"])

/** Describes a recurrence rule in words, or returns the rule itself if it isn't simple. */
export function describeRule(rule: string, language: string): string {
  const raw = rule.trim().slice(0, 500)
  const parts = new Map(
    raw
      .toUpperCase()
      .split(";")
      .map((part): [string, string] => [part.split("=", 1)[0] ?? "", part.replace(/^[^=]*=?/, "")]),
  )
  const words = calendarWords(language)
  const frequency = parts.get("FREQ") ?? ""
  const interval = Number(parts.get("INTERVAL") ?? 1)
  if (!isFrequency(frequency) || !Number.isInteger(interval) || interval < 1) return raw
  if ([...parts.keys()].some((name) => name !== "" && !simpleParts.has(name))) return raw
  const list = new Intl.ListFormat(language, { type: "conjunction" })
  const described = [words.every(frequency, interval)]
  const weekdays = parts.get("BYDAY")?.split(",") ?? []
  const monthDays = parts.get("BYMONTHDAY")?.split(",") ?? []
  if (weekdays.length > 0 && monthDays.length > 0) return raw
  if (weekdays.length > 0) {
    const names: string[] = []
    for (const weekday of weekdays) {
      const [, ordinal = "", code = ""] = /^([+-]?[1-5])?([A-Z]{2})$/.exec(weekday) ?? []
      const index = weekdayIndexes.get(code)
      if (index === undefined) return raw
      const name = getWeekday(index, language)
      names.push(ordinal === "" ? name : words.ordinal(Number(ordinal), name, index !== sunday))
    }
    described.push(words.on(list.format(names)))
  }
  if (monthDays.length > 0) {
    if (monthDays.some((day) => !/^([1-9]|[12]\d|3[01])$/.test(day))) return raw
    described.push(words.onDays(list.format(monthDays)))
  }
  const months = parts.get("BYMONTH")?.split(",").map(Number) ?? []
  if (months.some((month) => !(month >= 1 && month <= 12))) return raw
  if (months.length > 0)
    described.push(words.in(list.format(months.map((month) => getMonth(month, language)))))
  const until = parts.get("UNTIL")
  const end = until === undefined ? undefined : parseTime({ value: until, parameters: new Map() })
  if (until !== undefined && !end) return raw
  if (end) described.push(words.until(describeDay(end, language)))
  const count = parts.get("COUNT")
  if (count !== undefined) described.push(words.times(Number(count)))
  return described.join(" ")
}

/** Joins moments, of which the first ones are written out. */
export function describeMoments(moments: readonly CalendarTime[], language: string): string {
  const shown = moments.slice(0, 20).map((moment) => describeMoment(moment, language))
  const left = moments.length - shown.length
  return [...shown, ...(left > 0 ? [calendarWords(language).more(left)] : [])].join("; ")
}
