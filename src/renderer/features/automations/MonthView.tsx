import { t } from "i18next"
import { useState } from "react"
import { Link } from "wouter"
import type { Automation } from "../../../shared/contract/automations.ts"
import { workRoutes } from "../../lib/navigation/work-routes.ts"
import { formatTime, perLanguage } from "../../lib/words/format.ts"
import { timeZoneHere, occursOn, readCron, weekdayName } from "../../lib/words/schedule-words.ts"
import { classNames } from "../../ui/class-names.ts"

/** A time at which an automation is due. */
interface Coming {
  automation: Automation
  at: Date
}

/**
 * Returns the remaining runs this month by day of the month, in order. For a schedule that only the box can interpret, returns its next
 * run.
 */
export function comingMonth(automations: readonly Automation[], now: Date): Map<number, Coming[]> {
  const coming = automations.flatMap((automation) =>
    getTimes(automation, now).map((at): Coming => ({ automation, at })),
  )
  return Map.groupBy(
    coming.toSorted((a, b) => a.at.getTime() - b.at.getTime()),
    ({ at }) => at.getDate(),
  )
}

function getTimes({ trigger, nextRunAt }: Automation, now: Date): Date[] {
  if (nextRunAt === null || trigger.kind !== "schedule") return []
  const next = new Date(nextRunAt)
  const days = getDays(now)
  const schedule = readCron(trigger.cron)
  const [hour = 0, minute = 0] = schedule.time.split(":").map(Number)
  if (schedule.rhythm === "own" || trigger.timeZone !== timeZoneHere())
    return days.some((day) => day.toDateString() === next.toDateString()) ? [next] : []
  return days
    .filter((day) => occursOn(schedule, day) === true)
    .map((day) => new Date(day.getFullYear(), day.getMonth(), day.getDate(), hour, minute))
    .filter((at) => at >= next)
}

function getDays(now: Date): Date[] {
  const count = new Date(now.getFullYear(), now.getMonth() + 1, 0).getDate()
  return Array.from({ length: count }, (_, index) => getDay(now, index + 1))
}

const getDay = (now: Date, day: number): Date => new Date(now.getFullYear(), now.getMonth(), day)

/** Returns the weeks of the month that contains `now`, from Monday, including days of the adjacent months. */
export function getWeeks(now: Date): Date[][] {
  const monday = 1 - ((getDay(now, 1).getDay() + 6) % 7)
  const count = Math.ceil((getDays(now).length + 1 - monday) / 7)
  return Array.from({ length: count }, (_, week) =>
    Array.from({ length: 7 }, (__, day) => getDay(now, monday + week * 7 + day)),
  )
}

/** Maximum entries shown for one day; the number of further ones is shown. */
const maxShown = 3
const weekdays = [1, 2, 3, 4, 5, 6, 0]
const monthName = perLanguage(
  (language) => new Intl.DateTimeFormat(language, { month: "long", year: "numeric" }),
)

/** The remaining scheduled runs this month, day by day. */
export function MonthView({ automations }: { automations: readonly Automation[] }) {
  const [now] = useState(() => new Date())
  const coming = comingMonth(automations, now)
  return (
    <div className="min-h-0 flex-1 overflow-y-auto p-4">
      <table className="w-full table-fixed border-collapse text-xs">
        <caption className="pb-2 text-left text-sm font-medium">{monthName().format(now)}</caption>
        <thead>
          <tr>
            {weekdays.map((weekday) => (
              <th
                key={weekday}
                scope="col"
                abbr={weekdayName(weekday)}
                className="truncate border-b border-line px-1.5 py-1 text-left font-medium text-faint"
              >
                {weekdayName(weekday, "short")}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {getWeeks(now).map((week) => (
            <tr key={week[0]?.toDateString()} className={isPast(week, now) ? "h-9" : "h-20"}>
              {week.map((day) => (
                <td
                  key={day.toDateString()}
                  className="border-b border-line px-1 py-1 align-top not-last:border-r"
                >
                  {day.getMonth() === now.getMonth() && (
                    <Day
                      day={day}
                      today={day.toDateString() === now.toDateString()}
                      coming={coming.get(day.getDate()) ?? []}
                    />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p className="pt-2 text-xs text-faint">{t("automations:month.ownNote")}</p>
    </div>
  )
}

/** Whether the week has no more scheduled runs. */
const isPast = (week: Date[], now: Date): boolean =>
  week.every((day) => day < now && day.toDateString() !== now.toDateString())

function Day({ day, today, coming }: { day: Date; today: boolean; coming: Coming[] }) {
  return (
    <>
      <span
        aria-current={today ? "date" : undefined}
        className={classNames(
          "inline-flex size-5 items-center justify-center tabular-nums",
          today ? "rounded-full bg-solid text-on-solid" : "text-faint",
        )}
      >
        {day.getDate()}
      </span>
      {coming.length > 0 && (
        <ul>
          {coming.slice(0, maxShown).map(({ automation: { id, name }, at }) => {
            const time = formatTime(at.toISOString())
            return (
              <li key={`${id} ${time}`}>
                <Link
                  href={workRoutes.one(id)}
                  title={`${time} ${name}`}
                  className="block truncate rounded px-0.5 leading-5 hover:bg-hover"
                >
                  {name}
                </Link>
              </li>
            )
          })}
          {coming.length > maxShown && (
            <li className="px-0.5 leading-5 text-faint">
              {t("automations:month.more", { count: coming.length - maxShown })}
            </li>
          )}
        </ul>
      )}
    </>
  )
}
