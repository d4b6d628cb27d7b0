import { t } from "i18next"
import { Check, RotateCcw, X } from "lucide-react"
import { useEffect, useSyncExternalStore } from "react"
import { Button, IconButton } from "../../../ui/controls/Button.tsx"
import { ProgressBar, Spinner } from "../../../ui/Progress.tsx"
import { type FailedUpload, type UploadState, uploads } from "./upload-queue.ts"
import { MiddleCut } from "../../../ui/text/LongText.tsx"

const shownFailures = 50

/** Upload progress, on every page. Warns before the window is closed during an upload. */
export function UploadTray() {
  const state = useSyncExternalStore(uploads.subscribe, uploads.getState)
  const { collecting, total, done, underWay, failed } = state
  const running = done < total || collecting > 0

  useEffect(() => {
    if (!running) return undefined
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener("beforeunload", warn)
    return () => window.removeEventListener("beforeunload", warn)
  }, [running])

  useEffect(() => {
    if (total === 0 || running || failed.length > 0) return undefined
    const timer = setTimeout(uploads.dismiss, 4000)
    return () => clearTimeout(timer)
  }, [total, running, failed])

  if (total === 0 && collecting === 0) return null
  return (
    <section
      aria-label={t("folders:upload.label")}
      // Above the composer's buttons, if there is a composer.
      className="fixed right-4 bottom-4 in-[:has([data-composer])]:bottom-32 z-30 w-80 max-w-[calc(100vw-2rem)] animate-appear rounded-lg bg-raised p-3 text-sm shadow-float"
    >
      <div className="flex items-center gap-2">
        {!running && failed.length === 0 && <Check className="size-4 text-good" aria-hidden />}
        {collecting > 0 && <Spinner />}
        <output className="flex-1 font-medium">{describe(state)}</output>
        {done < total && (
          <Button variant="quiet" className="-my-1.5 h-7 px-2" onClick={uploads.stop}>
            {t("folders:upload.stop")}
          </Button>
        )}
        {!running && (
          <IconButton label={t("common:close")} onClick={uploads.dismiss} className="-m-1">
            <X aria-hidden />
          </IconButton>
        )}
      </div>
      {done < total && (
        <div className="mt-2">
          <ProgressBar label={t("folders:upload.label")} percent={(100 * (done + underWay)) / total} />
        </div>
      )}
      {failed.length > 0 && <Failures failed={failed} />}
      {failed.length > 0 && !running && (
        <Button onClick={uploads.retryFailed} className="mt-2 w-full">
          <RotateCcw aria-hidden /> {t("folders:upload.again")}
        </Button>
      )}
    </section>
  )
}

function Failures({ failed }: { failed: readonly FailedUpload[] }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it is scrolled by keyboard
    <ul className="mt-2 max-h-40 overflow-y-auto" tabIndex={0} aria-label={t("folders:upload.label")}>
      {failed.slice(0, shownFailures).map(({ folderId, item, reason }) => (
        <li key={`${folderId}/${item.relativePath}`} className="py-1">
          <p className="truncate" title={item.relativePath}>
            <MiddleCut text={item.relativePath} />
          </p>
          <p className="text-xs text-danger">{reason}</p>
        </li>
      ))}
      {failed.length > shownFailures && (
        <li className="py-1 text-xs text-soft">
          {t("folders:upload.more", { count: failed.length - shownFailures })}
        </li>
      )}
    </ul>
  )
}

function describe({ collecting, total, done, failed }: UploadState): string {
  if (done < total) return t("folders:upload.running", { done, total })
  if (collecting > 0) return t("folders:upload.collecting")
  if (failed.length === 0) return t("folders:upload.done", { count: total })
  return t("folders:upload.failed", { count: failed.length, total })
}
