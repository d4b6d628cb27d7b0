import i18next from "i18next"
import type { Fact } from "../../../shared/contract/facts.ts"
import { perLanguage } from "./format.ts"

const inUtc = { timeZone: "UTC", month: "short", year: "numeric" } as const
const day = perLanguage((language) => new Intl.DateTimeFormat(language, { ...inUtc, day: "numeric" }))
const month = perLanguage((language) => new Intl.DateTimeFormat(language, inUtc))

/** "1 May 2026", or "May 2026" of a date without a day. */
export const formatDate = (iso: string): string => (iso.length > 7 ? day() : month()).format(new Date(iso))

/** "€ 1.250,50": of what isn't whole at least the cents. */
export const formatMoney = (value: number, currency: string): string =>
  new Intl.NumberFormat(i18next.resolvedLanguage ?? "en", {
    style: "currency",
    currency,
    maximumFractionDigits: 4,
    ...(Number.isInteger(value) && { minimumFractionDigits: 0 }),
  }).format(value)

export const formatFact = (fact: Fact): string =>
  fact.kind === "date" ? formatDate(fact.date) : formatMoney(fact.value, fact.currency)
