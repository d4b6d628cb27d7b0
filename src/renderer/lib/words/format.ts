import { t } from "i18next"
import type { Location } from "../../../shared/contract/location.ts"
import { pageLanguage } from "./language.ts"

/** Creates a formatter once for each language. */
export function perLanguage<T>(make: (language: string) => T): () => T {
  const made = new Map<string, T>()
  return () => {
    const language = pageLanguage()
    const formatter = made.get(language) ?? make(language)
    made.set(language, formatter)
    return formatter
  }
}

const number = perLanguage((language) => new Intl.NumberFormat(language))
const decimal = perLanguage((language) => new Intl.NumberFormat(language, { maximumFractionDigits: 1 }))
const plain = perLanguage(
  (language) => new Intl.NumberFormat(language, { useGrouping: false, maximumFractionDigits: 6 }),
)
const percent = perLanguage((language) => new Intl.NumberFormat(language, { style: "percent" }))
const time = perLanguage((language) => dates(language, { hour: "numeric", minute: "2-digit" }))
const day = perLanguage((language) => dates(language, { day: "numeric", month: "short" }))
const dayWithYear = perLanguage((language) =>
  dates(language, { day: "numeric", month: "short", year: "numeric" }),
)
const full = perLanguage((language) => dates(language, { dateStyle: "long", timeStyle: "short" }))

/** Formats dates in the page's language, using the system's regional format if it has the same language. */
function dates(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const region = globalThis.navigator?.languages.find((tag) => tag.split("-")[0] === language)
  return new Intl.DateTimeFormat(region ?? language, options)
}

const list = perLanguage((language) => new Intl.ListFormat(language, { type: "conjunction" }))

/** Joins names: "A, B and C". */
export const formatList = (names: readonly string[]): string => list().format(names)

export const formatCount = (value: number): string => number().format(value)

/** A number as typed in a field, without group separators. */
export const formatField = (value: number): string => plain().format(value)

/** Bytes in everyday units: "12 B", "3.4 MB". */
export function formatSize(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"]
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${decimal().format(bytes / 1000 ** power)} ${units[power] ?? "B"}`
}

/** Formats a moment as briefly as it can be understood today. */
export function formatMoment(iso: string, now = new Date()): string {
  const date = new Date(iso)
  if (date.toDateString() === now.toDateString()) return time().format(date)
  return (date.getFullYear() === now.getFullYear() ? day() : dayWithYear()).format(date)
}

export const formatTime = (iso: string): string => time().format(new Date(iso))

const dayNames = {
  weekday: perLanguage((language) => dates(language, { weekday: "long" })),
  date: perLanguage((language) => dates(language, { weekday: "long", day: "numeric", month: "long" })),
  year: perLanguage((language) => dates(language, { day: "numeric", month: "long", year: "numeric" })),
}

/** A day in words: "Monday", "Monday, 30 March", "31 December 2025". */
export const formatDay = (day: Date, detail: keyof typeof dayNames): string =>
  capitalised(dayNames[detail]().format(day))

/** For headings, because Italian writes days in lower case. */
const capitalised = (text: string): string => text.charAt(0).toLocaleUpperCase() + text.slice(1)

export const formatFullMoment = (iso: string): string => full().format(new Date(iso))

/** "Page 3", "Line 12 · Setup", "Message 12 · Invoice", "2024/invoice.pdf · Page 3", "Slide 4 · Image 2"; empty if the location isn't known. */
export function formatLocation(location: Location): string {
  const { entry, sheet, heading, row } = location
  const numbered = (unit: "message" | "page" | "slide" | "row" | "image" | "line"): string | undefined =>
    location[unit] === undefined ? undefined : t(`format:${unit}`, { number: location[unit] })
  const places = [
    numbered("message"),
    entry,
    numbered("page"),
    numbered("slide"),
    sheet,
    numbered("row"),
    numbered("image"),
    row === undefined ? numbered("line") : undefined,
    heading,
  ]
  return places.filter((place) => place !== undefined).join(" · ")
}

export const formatPercent = (share: number): string => percent().format(share)

const unitFormat = (unit: string) =>
  perLanguage(
    (language) =>
      new Intl.NumberFormat(language, {
        style: "unit",
        unit,
        unitDisplay: "long",
        maximumFractionDigits: unit === "minute" ? 0 : 1,
      }),
  )
const [minutes, hours, days] = [unitFormat("minute"), unitFormat("hour"), unitFormat("day")]

/** An estimated time: "1 minute", "40 minutes", "2.5 hours". */
export function formatRoughTime(seconds: number): string {
  if (seconds < 90 * 60) return minutes().format(Math.max(1, seconds / 60))
  return seconds < 48 * 3600 ? hours().format(seconds / 3600) : days().format(seconds / 86_400)
}

const dayMs = 86_400_000

/** The heading of a chat in the list. */
export function ageGroup(iso: string, now = new Date()): string {
  const startOfToday = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime()
  const moment = new Date(iso).getTime()
  if (moment >= startOfToday) return t("format:today")
  if (moment >= startOfToday - dayMs) return t("format:yesterday")
  if (moment >= startOfToday - 7 * dayMs) return t("format:last7Days")
  if (moment >= startOfToday - 30 * dayMs) return t("format:last30Days")
  return t("format:older")
}
