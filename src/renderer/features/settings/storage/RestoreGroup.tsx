import { t } from "i18next"
import { FolderInput, RotateCcw } from "lucide-react"
import type { StagedRestore } from "../../../../shared/contract/storage.ts"
import { describeError } from "../../../lib/box.ts"
import { formatFullMoment } from "../../../lib/words/format.ts"
import { shellBridge } from "../../../lib/browser/shell-bridge.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { Note } from "../../../ui/Note.tsx"
import { ProgressBar } from "../../../ui/Progress.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { useFileInput } from "../../../ui/controls/FileInput.tsx"
import { useDiscardRestore, useStageRestore } from "./storage.ts"

/** Accepts a backup, checks it now, and replaces the data with it at the next start. */
export function RestoreGroup({ restore }: { restore: StagedRestore | null }) {
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
