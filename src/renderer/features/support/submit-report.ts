import type { SupportDraft } from "../../../shared/contract/support.ts"
import { box } from "../../lib/box.ts"
import { flatten } from "./picture.ts"
import type { ReportDraft } from "./report-draft.ts"

export type Report = ReportDraft & Pick<SupportDraft, "uiLogs" | "serverLogs">

/** Passes a report to the box, which sends it. Blacked-out parts aren't included. */
export async function submitReport(report: Report, ticketId: string | undefined): Promise<void> {
  const screenshot = report.screenshot === null ? null : await flatten(report.screenshot)
  const body = { ...report, screenshot }
  if (ticketId === undefined) await box.support.create({ body })
  else await box.support.change({ params: { id: ticketId }, body })
}
