import type { ContentLine } from "./content-lines.ts"

export interface Day {
  year: number
  /** From 1. */
  month: number
  day: number
}

/** A moment as a calendar writes it. */
export interface CalendarTime extends Day {
  /** Absent for a whole day. */
  time?: { hour: number; minute: number }
  /** A time zone's name, "UTC", or empty if the time is that of wherever people are. */
  zone: string
}

const dateTime = /^(\d{4})-?(\d{2})-?(\d{2})(?:T(\d{2}):?(\d{2})(?::?\d{2})?(Z)?)?/i

/** Returns the moment of a property; undefined if it isn't one. */
export function parseTime({
  value,
  parameters,
}: Pick<ContentLine, "value" | "parameters">): CalendarTime | undefined {
  const match = dateTime.exec(value.trim())
  if (!match) return undefined
  const [year = 0, month = 0, day = 0] = match.slice(1, 4).map(Number)
  if (!isDay({ year, month, day })) return undefined
  if (match[4] === undefined) return { year, month, day, zone: "" }
  const [hour, minute] = [Number(match[4]), Number(match[5])]
  if (hour > 24 || minute > 59) return undefined
  // Some programs write a path before the name: "/mozilla.org/20050126_1/Europe/Rome".
  const zone = (parameters.get("TZID")?.[0] ?? "").replace(/^.*\/(?=\w+\/\w+$)/, "").slice(0, 100)
  return { year, month, day, time: { hour, minute }, zone: match[6] === undefined ? zone : "UTC" }
}

function isDay({ year, month, day }: Day): boolean {
  const date = new Date(Date.UTC(year, month - 1, day))
  return year >= 1000 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

const toDate = ({ year, month, day, time }: Day & { time?: CalendarTime["time"] }): Date =>
  new Date(Date.UTC(year, month - 1, day, time?.hour ?? 0, time?.minute ?? 0))

/** Returns the moment in UTC. A time in an unknown zone, or in none, is read as UTC, so that its day stays. */
export function toUniversalTime(at: CalendarTime): Date {
  const date = toDate(at)
  if (at.zone === "" || at.zone === "UTC" || !at.time) return date
  try {
    const format = new Intl.DateTimeFormat("en-GB", {
      timeZone: at.zone,
      dateStyle: "short",
      timeStyle: "medium",
    })
    const [day = "", time = ""] = format.format(date).split(", ")
    const there = Date.parse(`${day.split("/").toReversed().join("-")}T${time}Z`)
    return Number.isNaN(there) ? date : new Date(date.getTime() - (there - date.getTime()))
  } catch {
    return date // A RangeError: the name isn't one of the standard's.
  }
}

/** Returns the same kind of moment some minutes later. */
export function addMinutes(from: CalendarTime, minutes: number): CalendarTime {
  const date = new Date(toDate(from).getTime() + minutes * 60_000)
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    ...(from.time && { time: { hour: date.getUTCHours(), minute: date.getUTCMinutes() } }),
    zone: from.zone,
  }
}

/** Returns the minutes of a duration such as "PT1H30M" or "P1D"; undefined if it isn't one, or longer than a century. */
export function parseDuration(value: string): number | undefined {
  const match = /^\+?P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:\d+S)?)?$/i.exec(
    value.trim(),
  )
  if (!match) return undefined
  const [weeks = 0, days = 0, hours = 0, minutes = 0] = match.slice(1).map((part) => Number(part ?? 0))
  return weeks * 10_080 + days * 1440 + hours * 60 + minutes
}

const formats = new Map<string, Intl.DateTimeFormat>()

function getFormat(language: string): Intl.DateTimeFormat {
  const existing = formats.get(language)
  if (existing) return existing
  const format = new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, {
    weekday: "long",
    day: "numeric",
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  })
  formats.set(language, format)
  return format
}

const two = (number: number): string => String(number).padStart(2, "0")

/** "Tuesday 5 March 2024 (2024-03-05)". */
export const describeDay = (day: Day, language: string): string => `${inWords(day, language)} (${toIso(day)})`

/** Versions of the language data differ in the comma after an English weekday. */
function inWords(day: Day, language: string): string {
  const words = getFormat(language).format(toDate(day))
  return language === "en" ? words.replace(",", "") : words
}

export const toIso = ({ year, month, day }: Day): string => `${year}-${two(month)}-${two(day)}`
const clock = ({ time }: CalendarTime): string => (time ? `${two(time.hour)}:${two(time.minute)}` : "")

/** "Tuesday 5 March 2024, 10:00 (2024-03-05), Europe/Rome". */
export function describeMoment(at: CalendarTime, language: string): string {
  const text = at.time ? `${inWords(at, language)}, ${clock(at)} (${toIso(at)})` : describeDay(at, language)
  return at.zone === "" || !at.time ? text : `${text}, ${at.zone}`
}

/** Describes the time from a start to an end. The end of whole days is the day after the last one. */
export function describePeriod(start: CalendarTime, end: CalendarTime | undefined, language: string): string {
  const last = end && !start.time && !end.time ? addMinutes(end, -1440) : end
  if (!last || toDate(last) <= toDate(start)) return describeMoment(start, language)
  if (toIso(start) !== toIso(last) || start.zone !== last.zone)
    return `${describeMoment(start, language)} – ${describeMoment(last, language)}`
  const day = `${inWords(start, language)}, ${clock(start)}–${clock(last)} (${toIso(start)})`
  return start.zone === "" ? day : `${day}, ${start.zone}`
}
