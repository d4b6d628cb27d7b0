import { t } from "i18next"
import { useEffect, useRef, useState } from "react"
import { type SupportDraft, ticketLimits } from "../../../shared/contract/support.ts"
import { type LogLine, TicketType } from "../../../shared/contract/tickets.ts"
import { box } from "../../lib/box.ts"
import { reportDatabase, type OpenReport, reportKey } from "../../lib/report-dialog.ts"
import { type Picture, readPicture, flatten } from "./picture.ts"

/** The report as sent, with a description of Casella's environment. */
export type WrittenReport = SupportDraft & { context: string }

/** Returns a report as text that can be pasted anywhere, without images and attachments. */
export function reportText(report: WrittenReport): string {
  const { type, title, description, context, uiLogs, serverLogs } = report
  return [
    `# ${title.trim()}`,
    t(`support:types.${type}`),
    description.trim(),
    context,
    ...logText(t("support:report.uiLogs"), uiLogs),
    ...logText(t("support:report.serverLogs"), serverLogs),
  ]
    .filter((piece) => piece !== "")
    .join("\n\n")
}

const lineText = ({ ts, level, message }: LogLine) => [ts, level, message].join(" ")

const logText = (name: string, lines: readonly LogLine[]): string[] =>
  lines.length === 0 ? [] : [`## ${name}\n\n${lines.map((line) => `    ${lineText(line)}`).join("\n")}`]

/** Returns a report as a single file for any browser, with its image and attachment. Nothing in it runs. */
export function reportPage(report: WrittenReport): string {
  const { title, screenshot, attachment } = report
  const pieces = [
    `<pre>${escaped(reportText(report))}</pre>`,
    ...(screenshot === null ? [] : [`<img src="${escaped(screenshot)}" alt="">`]),
    ...(attachment === null
      ? []
      : [
          `<p><a href="${escaped(attachment.dataUrl)}" download="${escaped(attachment.name)}">${escaped(attachment.name)}</a></p>`,
        ]),
  ]
  return `<!doctype html>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>${escaped(title.trim())}</title>
<style>body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem } pre { white-space: pre-wrap } img { max-width: 100% }</style>
${pieces.join("\n")}
`
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character] ?? "")

/** Parts of a draft that are too large for `localStorage`. */
interface Parts {
  screenshot: Picture | null
  attachment: SupportDraft["attachment"]
}

const storeName = "parts"

function openStore(): Promise<IDBDatabase> {
  const { promise, resolve, reject } = Promise.withResolvers<IDBDatabase>()
  const request = indexedDB.open(reportDatabase, 1)
  request.addEventListener("upgradeneeded", () => request.result.createObjectStore(storeName))
  request.addEventListener("success", () => resolve(request.result))
  request.addEventListener("error", () => reject(request.error ?? new Error("No IndexedDB")))
  return promise
}

async function runRequest<T>(
  mode: IDBTransactionMode,
  use: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const database = await openStore()
  try {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const transaction = database.transaction(storeName, mode)
    const request = use(transaction.objectStore(storeName))
    transaction.addEventListener("complete", () => resolve(request.result))
    transaction.addEventListener("error", () => reject(transaction.error ?? new Error("IndexedDB failed")))
    return await promise
  } finally {
    database.close()
  }
}

const getKey = (name: string, part: keyof Parts) => `${name}:${part}`

/** If they can't be stored, a draft keeps its images only while the page is open. */
async function readParts(name: string): Promise<Partial<Parts>> {
  try {
    const [screenshot, attachment] = await Promise.all([
      runRequest(
        "readonly",
        (store) => store.get(getKey(name, "screenshot")) as IDBRequest<Picture | undefined>,
      ),
      runRequest(
        "readonly",
        (store) => store.get(getKey(name, "attachment")) as IDBRequest<Parts["attachment"] | undefined>,
      ),
    ])
    return { screenshot: screenshot ?? null, attachment: attachment ?? null }
  } catch {
    return {}
  }
}

async function writePart<P extends keyof Parts>(name: string, part: P, value: Parts[P]): Promise<void> {
  await runRequest("readwrite", (store) => store.put(value, getKey(name, part))).catch(() => undefined)
}

async function removeParts(name: string): Promise<void> {
  for (const part of ["screenshot", "attachment"] as const) {
    await runRequest("readwrite", (store) => store.delete(getKey(name, part))).catch(() => undefined)
  }
}

export interface ReportDraft {
  type: TicketType
  title: string
  description: string
  page: string
  screenshot: Picture | null
  attachment: SupportDraft["attachment"]
}

const emptyDraft: ReportDraft = {
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
async function readDraft(name: string, ticketId: string | undefined): Promise<Partial<ReportDraft>> {
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
async function startDraft(
  name: string,
  { ticketId, page, about = "", screenshot }: OpenReport,
): Promise<ReportDraft> {
  const stored = await readDraft(name, ticketId)
  const [firstLine = ""] = about.split("\n")
  const draft = {
    ...emptyDraft,
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
    startDraft(name, opened).then(
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

export type Report = ReportDraft & Pick<SupportDraft, "uiLogs" | "serverLogs">

/** Passes a report to the box, which sends it. Blacked-out parts aren't included. */
export async function submitReport(report: Report, ticketId: string | undefined): Promise<void> {
  const screenshot = report.screenshot === null ? null : await flatten(report.screenshot)
  const body = { ...report, screenshot }
  if (ticketId === undefined) await box.support.create({ body })
  else await box.support.change({ params: { id: ticketId }, body })
}
