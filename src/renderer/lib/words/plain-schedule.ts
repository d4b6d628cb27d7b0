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
