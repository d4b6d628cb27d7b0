import { lazy } from "../../core/lazy.ts"

const languages = ["en", "it", "de", "fr", "es", "pt"]

const patterns = lazy(() => {
  const months = new Map<string, number>()
  for (const language of languages) {
    const named = new Intl.DateTimeFormat(language, { month: "long", timeZone: "UTC" })
    for (let month = 0; month < 12; month++)
      months.set(named.format(Date.UTC(2000, month)).toLowerCase(), month + 1)
  }
  const names = [...months.keys()].join("|")
  return {
    months,
    dayFirst: new RegExp(
      `(?<![\\p{L}\\p{N}])(\\d{1,2})(?:\\.|º|er|st|nd|rd|th)? (?:of |de |di )?(${names}),? (?:de |di )?(\\d{4})(?![\\p{L}\\p{N}])`,
      "giu",
    ),
    monthFirst: new RegExp(
      `(?<![\\p{L}\\p{N}])(${names}) (\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4})(?![\\p{L}\\p{N}])`,
      "giu",
    ),
  }
})

/** Returns the dates in a text that name their month, in the form `2026-03-12`. */
export function findDates(text: string): string[] {
  const { months, dayFirst, monthFirst } = patterns()
  const dates = [
    ...Array.from(text.matchAll(dayFirst), ([, day, month, year]) => ({ day, month, year })),
    ...Array.from(text.matchAll(monthFirst), ([, month, day, year]) => ({ day, month, year })),
  ]
  return dates.map(({ day = "", month = "", year = "" }) =>
    [year, String(months.get(month.toLowerCase())).padStart(2, "0"), day.padStart(2, "0")].join("-"),
  )
}
