const byCode =
  "EUR USD GBP CHF JPY CAD AUD NZD CNY INR SEK NOK DKK PLN CZK HUF RON BGN TRY RUB BRL MXN ZAR KRW SGD HKD"
const bySign: Record<string, string> = {
  "€": "EUR",
  $: "USD",
  us$: "USD",
  a$: "AUD",
  c$: "CAD",
  "£": "GBP",
  "¥": "JPY",
  "₹": "INR",
  "₽": "RUB",
  zł: "PLN",
  "fr.": "CHF",
  "sfr.": "CHF",
  sfr: "CHF",
}
const byName: Record<string, string> = {
  euro: "EUR",
  euros: "EUR",
  dollar: "USD",
  dollars: "USD",
  dollari: "USD",
  dólares: "USD",
  franken: "CHF",
  franchi: "CHF",
  yen: "JPY",
}

const known = new Map([
  ...byCode.split(" ").map((code): [string, string] => [code.toLowerCase(), code]),
  ...Object.entries(bySign),
  ...Object.entries(byName),
])

export const findCurrency = (written: string): string | undefined => known.get(written.toLowerCase())

const codes = byCode.split(" ").join("|")
/** Currency signs before a number, and after one. */
export const signBefore = String.raw`(?:US|[AC])?\$|€|£|¥|₹|₽|S?Fr\.|SFr|${codes}|[Ee]uro`
export const signAfter = String.raw`(?:US|[AC])?\$|€|£|¥|₹|₽|zł|S?Fr\.|SFr|${codes}|[Ee]uros?|EURO|[Dd]ollars?|[Dd]ollari|dólares|Franken|franchi|[Yy]en`
