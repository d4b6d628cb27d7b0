import { t } from "i18next"
import type { Cause, Trigger } from "../../../shared/contract/automations.ts"
import { formatMoment, formatTime, perLanguage } from "../../lib/words/format.ts"
import { timeZoneHere } from "./automation-form.ts"
import { readCron, type PlainSchedule } from "./plain-schedule.ts"

const weekdays = {
  long: perLanguage((language) => new Intl.DateTimeFormat(language, { weekday: "long" })),
  short: perLanguage((language) => new Intl.DateTimeFormat(language, { weekday: "short" })),
}

/** A day of the week by its number; Sunday is 0. */
export const weekdayName = (weekday: number, width: keyof typeof weekdays = "long"): string =>
  weekdays[width]().format(new Date(2024, 0, 7 + weekday))

/** "Every Monday at 9:00" */
export function scheduleWords({ rhythm, time, weekday, dayOfMonth, cron }: PlainSchedule): string {
  if (rhythm === "own") return t("automations:when.own", { cron })
  const at = formatTime(`2024-01-07T${time}:00`)
  if (rhythm === "week") return t("automations:when.week", { day: weekdayName(weekday), time: at })
  if (rhythm === "month") return t("automations:when.month", { day: dayOfMonth, time: at })
  return t(`automations:when.${rhythm}`, { time: at })
}

/** What sets it off, in plain words. */
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

/** Why there was a run. */
export function causeWords(cause: Cause, fileName: string | undefined): string {
  if (cause.kind === "schedule") return t("automations:cause.schedule", { moment: momentWords(cause.at) })
  if (cause.kind === "hook") return t("automations:cause.hook")
  if (cause.kind === "manual" && cause.fileId === undefined) return t("automations:cause.manual")
  const name = fileName ?? t("automations:cause.aFile")
  return t(`automations:cause.${cause.kind === "file" ? "file" : "about"}`, { name })
}

/** A day with its time; today the time alone. */
export const momentWords = (iso: string): string =>
  new Date(iso).toDateString() === new Date().toDateString()
    ? formatTime(iso)
    : t("automations:moment", { day: formatMoment(iso), time: formatTime(iso) })
