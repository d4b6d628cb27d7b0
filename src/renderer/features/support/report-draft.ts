import { useEffect, useRef, useState } from "react"
import { ticketLimits, type SupportDraft } from "../../../shared/contract/support.ts"
import { TicketType } from "../../../shared/contract/tickets.ts"
import { box } from "../../lib/box.ts"
import { type OpenReport, reportKey } from "../../lib/report-dialog.ts"
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

/** Reads the draft from an earlier visit, or the queued report. */
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
  /** Undefined until the stored draft has been read. */
  draft: ReportDraft | undefined
  error: unknown
  change(changes: Partial<ReportDraft>): void
  /** Deletes the draft from all storage. */
  forget(): Promise<void>
}

/** A stored draft takes precedence over the current window's data. */
async function start(
  name: string,
  { ticketId, page, about = "", screenshot }: OpenReport,
): Promise<ReportDraft> {
  const stored = await read(name, ticketId)
  const [firstLine = ""] = about.split("\n")
  const draft = {
    ...empty,
    page,
    ...stored,
    title: stored.title || firstLine.slice(0, ticketLimits.title.max),
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

/** A report being written. Each change is stored, so that a reload or crash doesn't lose it. */
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
      // Merges into the latest change, not the latest render, because images take a while to load.
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
