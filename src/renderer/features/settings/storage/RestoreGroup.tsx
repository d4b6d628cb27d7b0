import { t } from "i18next"
import { FolderInput, RotateCcw } from "lucide-react"
import { useRef } from "react"
import type { StagedRestore } from "../../../../shared/contract/storage.ts"
import { describeError } from "../../../lib/box.ts"
import { formatFullMoment } from "../../../lib/format.ts"
import { shellBridge } from "../../../lib/shell-bridge.ts"
import { Button } from "../../../ui/Button.tsx"
import { Note } from "../../../ui/Note.tsx"
import { SettingsGroup } from "../../../ui/SettingsGroup.tsx"
import { useDiscardRestore, useStageRestore } from "./storage.ts"

/** Takes a backup, which is checked now and put in the place of the data at the next start. */
export function RestoreGroup({ restore }: { restore: StagedRestore | null }) {
  const input = useRef<HTMLInputElement>(null)
  const stage = useStageRestore()
  return (
    <SettingsGroup
      title={t("settings:storage.restore.title")}
      description={t("settings:storage.restore.description")}
      action={
        <Button busy={stage.isPending} onClick={() => input.current?.click()}>
          <FolderInput aria-hidden /> {t("settings:storage.restore.choose")}
        </Button>
      }
    >
      <input
        ref={input}
        type="file"
        accept=".tgz,.tar.gz,application/gzip"
        aria-label={t("settings:storage.restore.file")}
        className="sr-only"
        tabIndex={-1}
        onChange={(event) => {
          const file = event.target.files?.[0]
          event.target.value = ""
          if (file) stage.mutate(file)
        }}
      />
      {stage.isPending && (
        <output className="block text-sm text-soft">
          {t("settings:storage.restore.checking", { name: stage.variables.name })}
        </output>
      )}
      {stage.error && <Note kind="error">{describeError(stage.error)}</Note>}
      {restore && !stage.isPending && <WaitingRestore restore={restore} />}
    </SettingsGroup>
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
