import { t } from "i18next"
import { TriangleAlert } from "lucide-react"
import { Suspense, useState } from "react"
import type { Folder } from "../../../shared/contract/folders.ts"
import { useForgetMissing, useUpdateFolder } from "../../data/folders/folders.ts"
import { later } from "../../lib/later.ts"
import { ConfirmDialog } from "../../ui/layers/Dialog.tsx"
import { classNames } from "../../ui/class-names.ts"
import { ProgressBar } from "../../ui/Progress.tsx"
import { showError } from "../../lib/toasts.ts"

const ChangeLocationDialog = later(
  async () => (await import("./FolderSettingsDialog.tsx")).ChangeLocationDialog,
)

const link = "rounded font-medium text-accent underline underline-offset-2"

/** Shows a folder's indexing progress and its failures, with a link to the failed files. Shows nothing when indexing is complete. */
export function FolderStatus({ folder, onShowFailed }: { folder: Folder; onShowFailed: () => void }) {
  const { paused, available, missingCount, pendingCount, failedCount, fileCount, owned, watched } = folder
  const update = useUpdateFolder(folder.id)
  const forget = useForgetMissing(folder.id)
  const [isAsking, setAsking] = useState(false)
  const [isChangingLocation, setChangingLocation] = useState(false)
  const facts = [
    !available && missingCount === 0 && t("folders:standing.away"),
    missingCount > 0 && t("folders:standing.missing", { count: missingCount }),
    paused && available && t("folders:standing.paused"),
    pendingCount > 0 && t("folders:standing.pending", { count: pendingCount }),
  ].filter((fact) => fact !== false)
  if (facts.length === 0 && failedCount === 0) return null
  return (
    <div
      className={classNames(
        "px-4 text-xs",
        available ? "pt-1.5 pb-0.5 text-soft" : "mt-1.5 bg-warning-tint py-2",
      )}
    >
      <output>
        {!available && <TriangleAlert aria-hidden className="mr-1.5 inline size-3.5 text-warning" />}
        {facts.join(" ")}{" "}
        {failedCount > 0 && (
          <button type="button" className={link} onClick={onShowFailed}>
            {t("folders:standing.failed", { count: failedCount })}
          </button>
        )}
      </output>
      {paused && available && owned && (
        <button
          type="button"
          className={`ml-1.5 ${link}`}
          onClick={() => update.mutate({ paused: false }, { onError: showError })}
        >
          {t("folders:menu.resume")}
        </button>
      )}
      {!available && watched && owned && (
        <button type="button" className={`ml-1.5 ${link}`} onClick={() => setChangingLocation(true)}>
          {t("folders:place.choose")}
        </button>
      )}
      {isChangingLocation && (
        <Suspense>
          <ChangeLocationDialog folder={folder} onClose={() => setChangingLocation(false)} />
        </Suspense>
      )}
      {missingCount > 0 && owned && (
        <button type="button" className={`ml-1.5 ${link}`} onClick={() => setAsking(true)}>
          {t("folders:standing.forget")}
        </button>
      )}
      <ConfirmDialog
        open={isAsking && missingCount > 0}
        onClose={() => setAsking(false)}
        onConfirm={() => forget.mutate(undefined, { onError: showError })}
        title={t("folders:standing.forgetTitle", { count: missingCount })}
        description={t("folders:standing.forgetDescription")}
        confirmLabel={t("folders:standing.forgetConfirm")}
      />
      {pendingCount > 0 && !paused && (
        <div className="mt-1 max-w-72">
          <ProgressBar
            percent={fileCount === 0 ? 0 : (100 * (fileCount - pendingCount)) / fileCount}
            label={t("folders:standing.label")}
          />
        </div>
      )}
    </div>
  )
}
