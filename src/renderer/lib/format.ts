import type { Location } from "../../shared/contract/location.ts"

const number = new Intl.NumberFormat()
const decimal = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })
const time = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" })
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" })
const dayWithYear = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" })
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeStyle: "short" })

export const formatCount = (value: number): string => number.format(value)

/** "1 file", "1,204 files". */
export const formatQuantity = (value: number, one: string, many = `${one}s`): string =>
  `${number.format(value)} ${value === 1 ? one : many}`

/** Bytes in the unit a person would use: "12 B", "3.4 MB". */
export function formatSize(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"]
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${decimal.format(bytes / 1000 ** power)} ${units[power] ?? "B"}`
}

/** A moment, as short as it can be understood today. */
export function formatMoment(iso: string, now = new Date()): string {
  const date = new Date(iso)
  if (date.toDateString() === now.toDateString()) return time.format(date)
  return (date.getFullYear() === now.getFullYear() ? day : dayWithYear).format(date)
}

export const formatTime = (iso: string): string => time.format(new Date(iso))

export const formatFullMoment = (iso: string): string => full.format(new Date(iso))

/** "Page 3", "Line 12 · Setup"; empty when the place isn't known. */
export function formatLocation(location: Location): string {
  const places = [
    location.page !== undefined && `Page ${location.page}`,
    location.slide !== undefined && `Slide ${location.slide}`,
    location.sheet !== undefined && location.sheet,
    location.row !== undefined && `Row ${location.row}`,
    location.line !== undefined && `Line ${location.line}`,
    location.heading !== undefined && location.heading,
  ]
  return places.filter((place) => place !== false).join(" · ")
}

export const formatPercent = (share: number): string => `${Math.round(share * 100)} %`

const dayMs = 86_400_000

/** The heading a conversation stands under in the list. */
export function ageGroup(iso: string, now = new Date()): string {
  const startOfToday = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime()
  const moment = new Date(iso).getTime()
  if (moment >= startOfToday) return "Today"
  if (moment >= startOfToday - dayMs) return "Yesterday"
  if (moment >= startOfToday - 7 * dayMs) return "Last 7 days"
  if (moment >= startOfToday - 30 * dayMs) return "Last 30 days"
  return "Older"
}
