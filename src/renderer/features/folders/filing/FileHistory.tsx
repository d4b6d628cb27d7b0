import { t } from "i18next"
import { Undo2 } from "lucide-react"
import { useState, type ReactNode } from "react"
import { Link } from "wouter"
import type { Filing, HistoryEntry } from "../../../../shared/contract/filing.ts"
import { undoFiling, useFileHistory } from "../../../data/folders/filing.ts"
import { describeError } from "../../../lib/box.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { showToast } from "../../../lib/toasts.ts"
import { formatFullMoment } from "../../../lib/words/format.ts"
import { Note } from "../../../ui/Note.tsx"
import { Button } from "../../../ui/controls/Button.tsx"

/** Describes a step in a file's history. */
function stepWords({ step, action, automation, from, to }: HistoryEntry): string {
  switch (step) {
    case "matched":
      return t("filing:step.matched", { automation: automation ?? "" })
    case "read":
    case "allowed":
    case "denied":
    case "expired":
      return t(`filing:step.${step}`)
    case "proposed":
    case "done":
    case "undone":
      if (action === null) return ""
      if (step === "done" && action === "tag" && to === "") return t("filing:step.done.untag")
      return t(`filing:step.${step}.${action}`, { from: from ?? "", to: to ?? "" })
  }
}

/** Describes a filing. */
export function filingWords({ action, was, became }: Filing, folderName: (id: string) => string): string {
  if (action === "tag" && became.tags.length === 0) return t("filing:step.done.untag")
  const describeState = (as: Filing["became"]): string => {
    if (action === "tag") return as.tags.join(", ")
    if (action !== "move") return as.name
    return [folderName(as.vectorId), ...(as.folder === "" ? [] : [as.folder])].join("/")
  }
  return t(`filing:step.done.${action}`, { from: was ? describeState(was) : "", to: describeState(became) })
}

/** Undoes changes; `busy` is the id of the one being undone. */
export function useUndo(): { busy: string | null; undo: (id: string) => void } {
  const [busy, setBusy] = useState<string | null>(null)
  const undo = (id: string) => {
    setBusy(id)
    undoFiling(id)
      .then(
        () => showToast(t("filing:notice.undone")),
        (error: unknown) => showToast(describeError(error), "error"),
      )
      .finally(() => setBusy(null))
  }
  return { busy, undo }
}

interface ChangeRowProps {
  /** Describes the change. */
  words: string
  /** When, by whom and where. */
  details: ReactNode
  /** The chat in which it was done. */
  chatId: string | null
  /** Undoes it; null if it can't be undone, or already was. */
  undo: { run: () => void; busy: boolean } | null
  /** Shown instead of the button. */
  mark?: string | undefined
}

/** One step in a file's history, with an undo button. */
export function ChangeRow({ words, details, chatId, undo, mark }: ChangeRowProps) {
  return (
    <li className="flex items-start gap-3 px-3 py-2.5 text-sm">
      <div className="min-w-0 flex-1">
        <p className="break-words">{words}</p>
        <p className="mt-0.5 flex flex-wrap gap-x-3 text-xs text-faint">
          {details}
          {chatId !== null && (
            <Link href={routes.chat(chatId)} className="rounded text-accent underline underline-offset-2">
              {t("filing:conversation")}
            </Link>
          )}
        </p>
      </div>
      {undo && (
        <Button
          variant="quiet"
          busy={undo.busy}
          aria-label={t("filing:undoOne", { what: words })}
          onClick={undo.run}
        >
          <Undo2 aria-hidden /> {t("filing:undo")}
        </Button>
      )}
      {mark !== undefined && <span className="py-1 text-xs text-faint">{mark}</span>}
    </li>
  )
}

/** A file's history, newest step first; nothing if it has none. */
export function FileHistory({ folderId, fileId }: { folderId: string; fileId: string }) {
  const { data, error } = useFileHistory(folderId, fileId)
  const { busy, undo } = useUndo()
  if (error) return <Note kind="error">{describeError(error)}</Note>
  if (!data || data.history.length === 0) return null
  const undone = new Set(
    data.history.flatMap(({ step, filingId }) => (step === "undone" && filingId !== null ? [filingId] : [])),
  )
  return (
    <section aria-labelledby={`history-${fileId}`} className="mt-4">
      <h3 id={`history-${fileId}`} className="mb-1 text-sm font-medium">
        {t("filing:history")}
      </h3>
      <ol
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it has to scroll by keyboard
        tabIndex={0}
        aria-labelledby={`history-${fileId}`}
        className="max-h-64 divide-y divide-line overflow-y-auto rounded-lg border border-line"
      >
        {data.history.map((entry) => {
          const { at, step, by, chatId, filingId } = entry
          const canUndo = step === "done" && filingId !== null && !undone.has(filingId)
          return (
            <ChangeRow
              key={`${at}${step}${filingId ?? ""}`}
              words={stepWords(entry)}
              details={
                <>
                  <span>{formatFullMoment(at)}</span>
                  {by !== null && by !== "" && <span>{t("filing:by", { name: by })}</span>}
                </>
              }
              chatId={chatId}
              undo={canUndo ? { run: () => undo(filingId), busy: busy === filingId } : null}
            />
          )
        })}
      </ol>
    </section>
  )
}
