import { useEffect, useRef, useState } from "react"
import { ticketLimits, type SupportDraft } from "../../../shared/contract/support.ts"
import { TicketType } from "../../../shared/contract/tickets.ts"
import { box } from "../../lib/box.ts"
import type { OpenReport } from "../../lib/report-dialog.ts"
import { reportKey } from "../../lib/report-storage.ts"
import { readParts, removeParts, writePart } from "./draft-parts.ts"
import { readPicture, type Picture } from "./picture.ts"

export interface ReportDraft {
  type: TicketType
  title: string
  description: string
  page: string
  screenshot: Picture | null
  attachment: SupportDraft["attachment"]
}

const empty: ReportDraft = {
  type: "BUG",
  title: "",
  description: "",
  page: "",
  screenshot: null,
  attachment: null,
}

function readTexts(name: string): Partial<ReportDraft> {
  try {
    const stored = JSON.parse(localStorage.getItem(reportKey(name)) ?? "{}") as Partial<ReportDraft>
    return { ...stored, type: TicketType.catch("BUG").parse(stored.type) }
  } catch {
    return {}
  }
}

/** What an earlier visit left of a report, or what the outbox has of one. */
async function read(name: string, ticketId: string | undefined): Promise<Partial<ReportDraft>> {
  if (ticketId === undefined || localStorage.getItem(reportKey(name)) !== null)
    return { ...readTexts(name), ...(await readParts(name)) }
  const { draft } = await box.support.read({ params: { id: ticketId } })
  if (!draft) return {}
  const { type, title, description, page, screenshot, attachment } = draft
  return {
    type,
    title,
    description,
    page,
    attachment,
    screenshot: screenshot === null ? null : { dataUrl: screenshot, boxes: [] },
  }
}

interface ReportDraftState {
  /** Undefined until what is stored was read. */
  draft: ReportDraft | undefined
  error: unknown
  change(changes: Partial<ReportDraft>): void
  /** Forgets it everywhere. */
  forget(): Promise<void>
}

/** What an earlier visit left says more than the window as it is now. */
async function start(
  name: string,
  { ticketId, page, about = "", screenshot }: OpenReport,
): Promise<ReportDraft> {
  const stored = await read(name, ticketId)
  const [inOneLine = ""] = about.split("\n")
  const draft = {
    ...empty,
    page,
    ...stored,
    title: stored.title || inOneLine.slice(0, ticketLimits.title.max),
    description: stored.description || about,
  }
  if (ticketId !== undefined) {
    await writePart(name, "screenshot", draft.screenshot)
    await writePart(name, "attachment", draft.attachment)
  }
  if (draft.screenshot || screenshot === null) return draft
  const picture = await readPicture(screenshot).catch(() => null)
  await writePart(name, "screenshot", picture)
  return { ...draft, screenshot: picture }
}

/** A report that is being written. It is stored with every change, so that neither a reload nor a crash loses it. */
export function useReportDraft(name: string, opened: OpenReport): ReportDraftState {
  const [draft, setDraft] = useState<ReportDraft>()
  const latest = useRef<ReportDraft>(undefined)
  const [error, setError] = useState<unknown>()

  useEffect(() => {
    let current = true
    start(name, opened).then(
      (started) => {
        if (!current) return
        latest.current = started
        setDraft(started)
      },
      (fault: unknown) => current && setError(fault),
    )
    return () => {
      current = false
    }
  }, [name, opened])

  return {
    draft,
    error,
    change(changes) {
      if (!latest.current) return
      // Of what was last changed, and not of what was last drawn: pictures take a while to be read.
      latest.current = { ...latest.current, ...changes }
      setDraft(latest.current)
      const { screenshot, attachment, ...texts } = latest.current
      localStorage.setItem(reportKey(name), JSON.stringify(texts))
      if ("screenshot" in changes) void writePart(name, "screenshot", screenshot)
      if ("attachment" in changes) void writePart(name, "attachment", attachment)
    },
    async forget() {
      localStorage.removeItem(reportKey(name))
      await removeParts(name)
    },
  }
}
