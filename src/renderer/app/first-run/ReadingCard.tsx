import { t } from "i18next"
import { ArrowRight } from "lucide-react"
import { useEffect, useRef, useSyncExternalStore } from "react"
import { useLocation } from "wouter"
import { useFolder } from "../../data/folders/folders.ts"
import { describeError } from "../../lib/box.ts"
import { writeDraft } from "../../lib/remembered.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Note } from "../../ui/Note.tsx"
import { ProgressBar } from "../../ui/Progress.tsx"
import { uploads } from "../../features/folders/uploads/uploads.ts"
import { endFirstRun } from "./first-run-done.ts"

/** The indexing progress of the first documents, with a link to the first question as soon as one document is ready. */
export function ReadingCard({ folderId, isExample }: { folderId: string; isExample: boolean }) {
  const { data: folder, error } = useFolder(folderId)
  const { total, done } = useSyncExternalStore(uploads.subscribe, uploads.getState)
  const [, navigate] = useLocation()
  const askButton = useRef<HTMLButtonElement>(null)

  const { fileCount = 0, pendingCount = 0, failedCount = 0 } = folder ?? {}
  // New uploads may not be counted yet.
  const count = done < total ? Math.max(fileCount, total) : fileCount
  const ready = fileCount - pendingCount - failedCount
  const canAsk = ready > 0

  useEffect(() => {
    if (canAsk && document.activeElement === document.body) askButton.current?.focus()
  }, [canAsk])

  function leaveFor(route: string) {
    endFirstRun()
    navigate(route)
  }

  function ask() {
    if (isExample) writeDraft("new-chat", t("firstRun:exampleQuestion"))
    leaveFor(routes.newChatIn(folderId))
  }

  if (error) return <Note kind="error">{describeError(error)}</Note>
  return (
    <>
      <p className="mt-3 truncate text-sm font-medium" title={folder?.name}>
        {folder?.name}
      </p>
      <output className="mt-1 mb-2 block text-sm text-soft">
        {count === 0 ? t("firstRun:looking") : t("firstRun:progress", { ready, count })}{" "}
        {failedCount > 0 && t("firstRun:failed", { count: failedCount })}
      </output>
      {count > 0 && (
        <ProgressBar percent={(100 * (ready + failedCount)) / count} label={t("firstRun:label")} />
      )}
      {isExample && canAsk && (
        <p className="mt-3 text-sm text-soft">
          {t("firstRun:exampleTry", { question: t("firstRun:exampleQuestion") })}
        </p>
      )}
      <div className="mt-4 flex flex-wrap gap-2">
        <Button ref={askButton} variant="primary" disabled={!canAsk} onClick={ask}>
          {t("firstRun:ask")} <ArrowRight aria-hidden />
        </Button>
        <Button variant="quiet" onClick={() => leaveFor(routes.folder(folderId))}>
          {t("firstRun:open")}
        </Button>
      </div>
    </>
  )
}
