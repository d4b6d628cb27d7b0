import { t } from "i18next"
import { Check, RotateCcw, X } from "lucide-react"
import { useEffect, useSyncExternalStore } from "react"
import { formatCount } from "../../lib/format.ts"
import { Button } from "../../ui/Button.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { ProgressBar } from "../../ui/ProgressBar.tsx"
import { uploads } from "./uploads.ts"

const shownFailures = 50

/** How the uploads are going, on whatever screen. Warns before the window is closed in the middle. */
export function UploadTray() {
  const { total, done, failed } = useSyncExternalStore(uploads.subscribe, uploads.getState)
  const running = done < total

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

  if (total === 0) return null
  return (
    <section
      aria-label="Uploads"
      className="fixed right-4 bottom-4 z-30 w-80 animate-appear rounded-lg bg-raised p-3 text-sm shadow-float"
    >
      <div className="flex items-center gap-2">
        {!running && failed.length === 0 && <Check className="size-4 text-good" aria-hidden />}
        <output className="flex-1 font-medium">
          {running
            ? `Uploading ${formatCount(done)} of ${formatCount(total)}`
            : describeResult(total, failed.length)}
        </output>
        {!running && (
          <IconButton label="Close" onClick={uploads.dismiss} className="-m-1">
            <X aria-hidden />
          </IconButton>
        )}
      </div>
      {running && (
        <div className="mt-2">
          <ProgressBar label="Uploads" percent={(done / total) * 100} />
        </div>
      )}
      {failed.length > 0 && (
        <>
          <ul className="mt-2 max-h-40 overflow-y-auto">
            {failed.slice(0, shownFailures).map(({ item, reason }) => (
              <li key={item.relativePath} className="py-1">
                <p className="truncate" title={item.relativePath}>
                  {item.relativePath}
                </p>
                <p className="text-xs text-danger">{reason}</p>
              </li>
            ))}
          </ul>
          {!running && (
            <Button onClick={uploads.retryFailed} className="mt-2 w-full">
              <RotateCcw aria-hidden /> Try again
            </Button>
          )}
        </>
      )}
    </section>
  )
}

function describeResult(total: number, failed: number): string {
  if (failed === 0) return `${t("fileCount", { count: total })} uploaded`
  return `${t("fileCount", { count: failed })} of ${formatCount(total)} not uploaded`
}
