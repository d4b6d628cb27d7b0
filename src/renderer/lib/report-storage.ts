/** Where reports that are being written are kept, by the browser and on this computer. */
export const reportDatabase = "casella-report-drafts"
const prefix = "report-draft:"
export const reportKey = (name: string) => `${prefix}${name}`

/** Leaves nothing of any draft, as when somebody signs out. */
export function forgetReportDrafts(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key)
  indexedDB.deleteDatabase(reportDatabase)
}
