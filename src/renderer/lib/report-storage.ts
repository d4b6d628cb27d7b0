/** The browser database for report drafts on this computer. */
export const reportDatabase = "casella-report-drafts"
const prefix = "report-draft:"
export const reportKey = (name: string) => `${prefix}${name}`

/** Deletes all drafts, for example on sign-out. */
export function forgetReportDrafts(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key)
  indexedDB.deleteDatabase(reportDatabase)
}
