import { t } from "i18next"
import { Archive, Download, FolderInput, RotateCcw } from "lucide-react"
import { type Backup, storage, type StagedRestore } from "../../../../shared/contract/storage.ts"
import { describeError } from "../../../lib/box.ts"
import { download } from "../../../lib/browser/download.ts"
import { shellBridge } from "../../../lib/browser/shell-bridge.ts"
import { showError } from "../../../lib/toasts.ts"
import { formatFullMoment, formatSize } from "../../../lib/words/format.ts"
import { toPageLanguage } from "../../../lib/words/sentence.ts"
import { Note } from "../../../ui/Note.tsx"
import { ProgressBar, Spinner } from "../../../ui/Progress.tsx"
import { Button } from "../../../ui/controls/Button.tsx"
import { useFileInput } from "../../../ui/controls/FileInput.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { MiddleCut } from "../../../ui/text/LongText.tsx"
import { HeldGroup } from "./HeldGroup.tsx"
import { PlanGroup } from "./PlanGroup.tsx"
import {
  useBackup,
  useRemoveBackup,
  useStartBackup,
  useDiscardRestore,
  useStageRestore,
  useStorage,
} from "./storage.ts"

/** Makes a backup and offers it for download. */
function BackupGroup() {
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
          onClick={() => start.mutate(undefined, { onError: showError })}
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

/** Accepts a backup, checks it now, and replaces the data with it at the next start. */
function RestoreGroup({ restore }: { restore: StagedRestore | null }) {
  const stage = useStageRestore()
  const chooser = useFileInput({
    label: t("settings:storage.restore.file"),
    accept: ".tgz,.tar.gz,application/gzip",
    onFiles([file]) {
      if (file) stage.mutate(file)
    },
  })
  return (
    <SettingsGroup
      title={t("settings:storage.restore.title")}
      description={t("settings:storage.restore.description")}
      action={
        <Button busy={stage.isPending} onClick={chooser.open}>
          <FolderInput aria-hidden /> {t("settings:storage.restore.choose")}
        </Button>
      }
    >
      {chooser.input}
      {stage.isPending && <Sending name={stage.variables.name} share={stage.share} />}
      {stage.error && <Note kind="error">{describeError(stage.error)}</Note>}
      {restore && !stage.isPending && <WaitingRestore restore={restore} />}
    </SettingsGroup>
  )
}

/** The share of a backup that has been uploaded. The check after that has no known duration. */
function Sending({ name, share }: { name: string; share: number }) {
  const sent = share >= 1
  return (
    <div className="rounded-lg border border-line px-3 py-2.5 text-sm text-soft">
      <output className="block">
        {t(sent ? "settings:storage.restore.checking" : "settings:storage.restore.sending", { name })}
      </output>
      {!sent && (
        <div className="mt-1.5">
          <ProgressBar percent={share * 100} label={name} />
        </div>
      )}
    </div>
  )
}

function WaitingRestore({ restore }: { restore: StagedRestore }) {
  const discard = useDiscardRestore()
  const shell = shellBridge()
  const { stagedAt, people, folders, files, chats } = restore
  const contents = [
    t("settings:storage.restore.people", { count: people }),
    t("settings:storage.restore.folders", { count: folders }),
    t("common:fileCount", { count: files }),
    t("settings:storage.restore.chats", { count: chats }),
  ].join(", ")
  return (
    <output className="block rounded-lg border border-line px-3 py-3 text-sm">
      <p className="font-medium">{t("settings:storage.restore.ready")}</p>
      <p className="mt-0.5 text-soft">
        {contents} · {t("settings:storage.restore.checked", { moment: formatFullMoment(stagedAt) })}
      </p>
      <p className="mt-2">
        {t(shell ? "settings:storage.restore.restartHere" : "settings:storage.restore.restartByHand")}
      </p>
      <div className="mt-3 flex gap-2">
        {shell && (
          <Button variant="primary" onClick={() => void shell.relaunch()}>
            <RotateCcw aria-hidden /> {t("settings:storage.restore.restart")}
          </Button>
        )}
        <Button busy={discard.isPending} onClick={() => discard.mutate()}>
          {t("settings:storage.restore.discard")}
        </Button>
      </div>
    </output>
  )
}

/** Backup and restore of the stored data. */
export function BackupSection() {
  const { data: storage, error } = useStorage()
  if (error) return <Note kind="error">{describeError(error)}</Note>
  if (!storage) return <Spinner label={t("common:loading")} />
  return (
    <>
      <HeldGroup />
      <BackupGroup />
      <PlanGroup />
      <RestoreGroup restore={storage.restore} />
    </>
  )
}
