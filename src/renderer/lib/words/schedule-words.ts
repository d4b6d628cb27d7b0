import { t } from "i18next"
import type { Trigger } from "../../../shared/contract/automations.ts"
import { formatTime, perLanguage } from "./format.ts"

/** How often a schedule runs, as people choose it; `own`: by a custom cron expression. */
export const rhythms = ["day", "weekday", "week", "month", "own"] as const
export type Rhythm = (typeof rhythms)[number]

export interface PlainSchedule {
  rhythm: Rhythm
  /** "09:00" */
  time: string
  /** Sunday is 0. */
  weekday: number
  dayOfMonth: number
  cron: string
}

export const firstSchedule: PlainSchedule = {
  rhythm: "week",
  time: "09:00",
  weekday: 1,
  dayOfMonth: 1,
  cron: "0 9 * * 1",
}

const plain = /^(\d{1,2}) (\d{1,2}) (\d{1,2}|\*) \* (\d|1-5|\*)$/
const twoDigits = (value: string | number): string => String(value).padStart(2, "0")

/** Reads a cron expression as one of the offered rhythms, or as a custom one. */
export function readCron(text: string): PlainSchedule {
  const cron = text.trim().replaceAll(/\s+/g, " ")
  const own: PlainSchedule = { ...firstSchedule, rhythm: "own", cron }
  const [, minute = "", hour = "", dayOfMonth = "", weekday = ""] = plain.exec(cron) ?? []
  if (minute === "" || Number(minute) > 59 || Number(hour) > 23) return own
  const at = { ...own, time: `${twoDigits(hour)}:${twoDigits(minute)}` }
  if (dayOfMonth !== "*")
    return weekday === "*" && Number(dayOfMonth) >= 1 && Number(dayOfMonth) <= 31
      ? { ...at, rhythm: "month", dayOfMonth: Number(dayOfMonth) }
      : own
  if (weekday === "*") return { ...at, rhythm: "day" }
  if (weekday === "1-5") return { ...at, rhythm: "weekday" }
  return Number(weekday) <= 7 ? { ...at, rhythm: "week", weekday: Number(weekday) % 7 } : own
}

/** Returns the cron expression of a schedule. */
export function toCron({ rhythm, time, weekday, dayOfMonth, cron }: PlainSchedule): string {
  if (rhythm === "own") return cron
  const [hour = 0, minute = 0] = time.split(":").map(Number)
  const at = `${minute} ${hour}`
  if (rhythm === "week") return `${at} * * ${weekday}`
  if (rhythm === "month") return `${at} ${dayOfMonth} * *`
  return `${at} * * ${rhythm === "weekday" ? "1-5" : "*"}`
}

/** Whether it runs on a day; undefined if only the box can tell. */
export function occursOn({ rhythm, weekday, dayOfMonth }: PlainSchedule, date: Date): boolean | undefined {
  if (rhythm === "own") return undefined
  const day = date.getDay()
  if (rhythm === "weekday") return day >= 1 && day <= 5
  if (rhythm === "week") return day === weekday
  return rhythm === "day" || date.getDate() === dayOfMonth
}

export const timeZoneHere = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

const weekdays = {
  long: perLanguage((language) => new Intl.DateTimeFormat(language, { weekday: "long" })),
  short: perLanguage((language) => new Intl.DateTimeFormat(language, { weekday: "short" })),
}

/** The name of a weekday by number; Sunday is 0. */
export const weekdayName = (weekday: number, width: keyof typeof weekdays = "long"): string =>
  weekdays[width]().format(new Date(2024, 0, 7 + weekday))

/** "Every Monday at 9:00" */
export function scheduleWords({ rhythm, time, weekday, dayOfMonth, cron }: PlainSchedule): string {
  if (rhythm === "own") return repeatedWords(cron) ?? t("automations:when.own", { cron })
  const at = formatTime(`2024-01-07T${time}:00`)
  if (rhythm === "week") return t("automations:when.week", { day: weekdayName(weekday), time: at })
  if (rhythm === "month") return t("automations:when.month", { day: dayOfMonth, time: at })
  return t(`automations:when.${rhythm}`, { time: at })
}

/** "Every 15 minutes"; undefined for a cron expression that can't be described this way. */
function repeatedWords(cron: string): string | undefined {
  const [minute = "", ...others] = cron.split(" ")
  if (others.some((field) => field !== "*")) return undefined
  if (/^\d+$/.test(minute)) return t("automations:when.hour", { minute: Number(minute) })
  const step = minute === "*" ? 1 : Number(/^\*\/(\d+)$/.exec(minute)?.[1])
  return 60 % step === 0 ? t("automations:when.minutes", { count: step }) : undefined
}

/** Describes a trigger in plain language. */
export function triggerWords(trigger: Trigger, folderName: (id: string) => string | undefined): string {
  if (trigger.kind === "schedule") {
    const words = scheduleWords(readCron(trigger.cron))
    return trigger.timeZone === timeZoneHere()
      ? words
      : t("automations:when.elsewhere", { words, timeZone: trigger.timeZone })
  }
  if (trigger.kind !== "file") return t(`automations:when.${trigger.kind}`)
  const folder = folderName(trigger.vectorId) ?? t("automations:when.goneFolder")
  return trigger.match === null
    ? t("automations:when.file", { folder })
    : t("automations:when.matching", { folder, match: trigger.match })
}
