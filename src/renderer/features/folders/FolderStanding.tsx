import { t } from "i18next"
import type { Folder } from "../../../shared/contract/folders.ts"
import { useUpdateFolder } from "../../data/folders.ts"
import { describeError } from "../../lib/box.ts"
import { ProgressBar } from "../../ui/ProgressBar.tsx"
import { showToast } from "../../ui/toasts.ts"

const link = "rounded font-medium text-accent underline underline-offset-2"

/** How far a folder's indexing is, and what failed, which leads to those files; nothing when all of it is done. */
export function FolderStanding({ folder, onShowFailed }: { folder: Folder; onShowFailed: () => void }) {
  const { paused, available, pendingCount, failedCount, fileCount, owned } = folder
  const update = useUpdateFolder(folder.id)
  const facts = [
    !available && t("folders:standing.away"),
    paused && available && t("folders:standing.paused"),
    pendingCount > 0 && t("folders:standing.pending", { count: pendingCount }),
  ].filter((fact) => fact !== false)
  if (facts.length === 0 && failedCount === 0) return null
  return (
    <div className="px-4 pt-1 text-xs text-soft">
      <output>
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
          onClick={() =>
            update.mutate({ paused: false }, { onError: (error) => showToast(describeError(error), "error") })
          }
        >
          {t("folders:menu.resume")}
        </button>
      )}
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
