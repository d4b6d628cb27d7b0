import { t } from "i18next"
import type { Trigger } from "../../../shared/contract/automations.ts"
import { formatTime, perLanguage } from "./format.ts"
import { readCron, type PlainSchedule } from "./plain-schedule.ts"

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
