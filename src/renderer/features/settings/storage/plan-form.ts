import i18next from "i18next"
import type { BackupPlan } from "../../../../shared/contract/storage.ts"

export const rhythms = ["never", "running", "day", "week"] as const
/** `running`: on each day that Casella runs, at any time. */
export type Rhythm = (typeof rhythms)[number]

/** A backup plan as form values. */
export interface PlanDraft {
  rhythm: Rhythm
  weekday: string
  at: string
  directory: string
  keep: string
}

export const toDraft = (plan: BackupPlan | null): PlanDraft => ({
  rhythm: plan === null ? "never" : plan.every === "day" && plan.at === null ? "running" : plan.every,
  weekday: String(plan?.weekday ?? 1),
  at: plan?.at ?? "21:00",
  directory: plan?.directory ?? "",
  keep: String(plan?.keep ?? 7),
})

export function getPlan({ rhythm, weekday, at, directory, keep }: PlanDraft): BackupPlan | null {
  if (rhythm === "never") return null
  const every = rhythm === "week" ? "week" : "day"
  return {
    every,
    weekday: Number(weekday),
    at: rhythm === "running" ? null : at,
    directory: directory.trim(),
    keep: Number(keep),
  }
}

/** Weekday names in the page's language, from Monday. */
export function weekdayNames(): { day: number; name: string }[] {
  const names = new Intl.DateTimeFormat(i18next.language, { weekday: "long", timeZone: "UTC" })
  // 1970-01-04 was a Sunday.
  return [1, 2, 3, 4, 5, 6, 0].map((day) => ({
    day,
    name: names.format(new Date(Date.UTC(1970, 0, 4 + day))),
  }))
}
