import { t } from "i18next"
import { Archive, Download } from "lucide-react"
import type { Backup } from "../../../../shared/contract/storage.ts"
import { storage } from "../../../../shared/contract/storage.ts"
import { describeError } from "../../../lib/box.ts"
import { download } from "../../../lib/browser/download.ts"
import { formatFullMoment, formatSize } from "../../../lib/words/format.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { Note } from "../../../ui/Note.tsx"
import { ProgressBar } from "../../../ui/Progress.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { showToast } from "../../../lib/toasts.ts"
import { useBackup, useRemoveBackup, useStartBackup } from "./storage.ts"
import { toPageLanguage } from "../../../lib/words/sentence.ts"
import { MiddleCut } from "../../../ui/text/MiddleCut.tsx"

/** Makes a backup and offers it for download. */
export function BackupGroup() {
  const { data: backup } = useBackup()
  const start = useStartBackup()
  const running = backup?.status === "running"
  return (
    <SettingsGroup
      title={t("settings:storage.backup.title")}
      description={t("settings:storage.backup.description")}
      action={
        <Button
          busy={start.isPending}
          disabled={running}
          onClick={() =>
            start.mutate(undefined, { onError: (error) => showToast(describeError(error), "error") })
          }
        >
          <Archive aria-hidden /> {t("settings:storage.backup.start")}
        </Button>
      }
    >
      {backup && <BackupState backup={backup} />}
    </SettingsGroup>
  )
}

function BackupState({ backup }: { backup: Backup }) {
  const remove = useRemoveBackup()
  const { status, fileName, startedAt, doneBytes, totalBytes, sizeBytes, error, sentence } = backup
  if (status === "failed") return <Note kind="error">{toPageLanguage(error ?? "", sentence)}</Note>
  const removeButton = (
    <Button variant="quiet" busy={remove.isPending} onClick={() => remove.mutate()}>
      {t(status === "running" ? "settings:storage.backup.stop" : "settings:storage.delete")}
    </Button>
  )
  if (status === "running") {
    return (
      <div className="flex items-center gap-4 rounded-lg border border-line px-3 py-2.5 text-sm">
        <div className="min-w-0 flex-1">
          <output className="mb-1.5 block text-soft">
            {t("settings:storage.backup.running", {
              done: formatSize(doneBytes),
              total: formatSize(totalBytes),
            })}
          </output>
          <ProgressBar
            percent={totalBytes === 0 ? 0 : (doneBytes / totalBytes) * 100}
            label={t("settings:storage.backup.title")}
          />
        </div>
        {removeButton}
      </div>
    )
  }
  return (
    <div className="flex items-center gap-2 rounded-lg border border-line px-3 py-2.5 text-sm">
      <div className="min-w-0 flex-1">
        <p className="truncate" title={fileName}>
          <MiddleCut text={fileName} />
        </p>
        <p className="text-xs text-faint">
          {formatFullMoment(startedAt)} · {formatSize(sizeBytes ?? 0)}
        </p>
      </div>
      <Button variant="primary" onClick={() => void download(storage.downloadBackup.path)}>
        <Download aria-hidden /> {t("settings:storage.backup.download")}
      </Button>
      {removeButton}
    </div>
  )
}
