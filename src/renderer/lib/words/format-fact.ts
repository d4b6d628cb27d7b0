import type { Fact } from "../../../shared/contract/facts.ts"
import { perLanguage } from "./format.ts"
import { pageLanguage } from "./language.ts"

const monthInUtc = { timeZone: "UTC", month: "short" } as const
const utcOptions = { ...monthInUtc, year: "numeric" } as const
const day = perLanguage((language) => new Intl.DateTimeFormat(language, { ...utcOptions, day: "numeric" }))
const month = perLanguage((language) => new Intl.DateTimeFormat(language, utcOptions))

const dayOfMonth = perLanguage(
  (language) => new Intl.DateTimeFormat(language, { ...monthInUtc, day: "numeric" }),
)

/** `--05-01` is a date without a year. */
export const hasYear = (iso: string): boolean => !iso.startsWith("--")

/** "1 May 2026", "May 2026" for a date without a day, or "1 May" for one without a year. */
export function formatDate(iso: string): string {
  if (!hasYear(iso)) return dayOfMonth().format(new Date(`2000${iso.slice(1)}`))
  return (iso.length > 7 ? day() : month()).format(new Date(iso))
}

/** "€ 1.250,50": an amount that isn't whole shows at least two decimals. */
export const formatMoney = (value: number, currency: string): string =>
  new Intl.NumberFormat(pageLanguage(), {
    style: "currency",
    currency,
    maximumFractionDigits: 4,
    ...(Number.isInteger(value) && { minimumFractionDigits: 0 }),
  }).format(value)

export const formatFact = (fact: Fact): string =>
  fact.kind === "date" ? formatDate(fact.date) : formatMoney(fact.value, fact.currency)
