import { t } from "i18next"

/** Intervals for fetching a web page again, in hours; null: never automatically. */
const usual = [null, 1, 24, 168, 720] as const

export const refreshName = (hours: number | null): string => {
  if (hours === null) return t("folders:web.never")
  if (hours === 1) return t("folders:web.hourly")
  if (hours === 24) return t("folders:web.daily")
  if (hours === 168) return t("folders:web.weekly")
  return hours % 24 === 0
    ? t("folders:web.everyDays", { count: hours / 24 })
    : t("folders:web.everyHours", { count: hours })
}

/** The usual intervals, and the current one if a script set another. */
export const refreshChoices = (current: number | null): readonly (number | null)[] =>
  usual.some((hours) => hours === current) ? usual : [...usual, current]

export const refreshValue = (hours: number | null): string => String(hours ?? "")
export const readRefresh = (value: string): number | null => (value === "" ? null : Number(value))
