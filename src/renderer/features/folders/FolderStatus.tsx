import { t } from "i18next"
import { TriangleAlert } from "lucide-react"
import { Fragment, Suspense, useState } from "react"
import type { Folder } from "../../../shared/contract/folders.ts"
import type { FileStateFilter } from "../../data/folders/files.ts"
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

interface FolderStatusProps {
  folder: Folder
  /** Lists only the files in this state. */
  onShowFiles: (state: FileStateFilter) => void
}

/** Shows a folder's indexing progress, its failures, and how much of its files was read, with links to these files. */
export function FolderStatus({ folder, onShowFiles }: FolderStatusProps) {
  const { paused, available, missingCount, pendingCount, failedCount, fileCount, owned, watched } = folder
  const { outdatedCount } = folder
  const update = useUpdateFolder(folder.id)
  const forget = useForgetMissing(folder.id)
  const [isAsking, setAsking] = useState(false)
  const [isChangingLocation, setChangingLocation] = useState(false)
  const facts = [
    !available && missingCount === 0 && t("folders:standing.away"),
    missingCount > 0 && t("folders:standing.missing", { count: missingCount }),
    paused && available && t("folders:standing.paused"),
    pendingCount > 0 && t("folders:standing.pending", { count: pendingCount }),
    outdatedCount > 0 && !paused && t("folders:standing.outdated", { count: outdatedCount }),
  ].filter((fact) => fact !== false)
  const isRead = folder.completeness.whole + folder.completeness.partial + folder.completeness.none > 0
  if (facts.length === 0 && failedCount === 0 && !isRead) return null
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
          <button type="button" className={link} onClick={() => onShowFiles("failed")}>
            {t("folders:standing.failed", { count: failedCount })}
          </button>
        )}
      </output>
      {isRead && <CompletenessLine folder={folder} onShowFiles={onShowFiles} />}
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

/** How many files were read completely, in part and not at all. The numbers of the last two lead to the lists with the reasons. */
function CompletenessLine({ folder: { completeness }, onShowFiles }: FolderStatusProps) {
  const { whole, partial, none } = completeness
  const shown = (["partial", "none"] as const).filter((state) => completeness[state] > 0)
  return (
    <p className="text-faint">
      {t("folders:completeness.wholeCount", { count: whole })}
      {shown.map((state) => (
        <Fragment key={state}>
          {" · "}
          <button type="button" className={link} onClick={() => onShowFiles(state)}>
            {t(`folders:completeness.${state}Count`, { count: state === "partial" ? partial : none })}
          </button>
        </Fragment>
      ))}
    </p>
  )
}
