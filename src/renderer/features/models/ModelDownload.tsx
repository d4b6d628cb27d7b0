import { t } from "i18next"
import { Pause, Play, RotateCw, X } from "lucide-react"
import { useState } from "react"
import {
  type Computer,
  type OfferedModel,
  roleFor,
  type ModelDownload,
} from "../../../shared/contract/models.ts"
import {
  useStartDownload,
  useCancelDownload,
  useChooseModel,
  useInstalledModels,
  usePauseDownload,
  useResumeDownload,
} from "../../data/models/models.ts"
import { useSettings } from "../../data/settings.ts"
import { describeError } from "../../lib/box.ts"
import { formatSize } from "../../lib/words/format.ts"
import { toPageLanguage } from "../../lib/words/sentence.ts"
import { Note } from "../../ui/Note.tsx"
import { ProgressBar } from "../../ui/Progress.tsx"
import { Button, IconButton } from "../../ui/controls/Button.tsx"
import { Facts, SettingsGroup } from "../../ui/controls/Sections.tsx"
import { Dialog, DialogActions, ConfirmDialog } from "../../ui/layers/Dialog.tsx"
import { describeFit, estimateTime, describeDownload } from "./wording.ts"

/** A download's requirements and source. */
export function ConsentFacts({ model, computer }: { model: OfferedModel; computer: Computer }) {
  const { data: settings } = useSettings()
  const source = settings ? new URL(settings.modelMirror).host : "Hugging Face"
  const free = formatSize(computer.freeDiskBytes)
  const after = formatSize(Math.max(0, computer.freeDiskBytes - model.sizeBytes))
  return (
    <Facts
      rows={[
        [t("models:consent.download"), formatSize(model.sizeBytes)],
        [t("models:consent.time"), estimateTime(model.sizeBytes)],
        [t("models:consent.disk"), t("models:consent.diskFree", { free, after })],
        [t("models:consent.memory"), describeFit(model)],
        [t("models:consent.licence"), model.licence],
        [t("models:consent.from"), `${source}/${model.repo}`],
      ]}
    />
  )
}

interface ConsentDialogProps {
  model: OfferedModel
  computer: Computer
  onClose: () => void
}

/** Shows a download's requirements and source before anything is fetched. */
export function ConsentDialog({ model, computer, onClose }: ConsentDialogProps) {
  const start = useStartDownload()
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("models:consent.title", { name: model.name })}
      description={t("models:consent.description")}
    >
      <ConsentFacts model={model} computer={computer} />
      <p className="mt-3 text-xs text-faint">{t("models:consent.hint")}</p>
      {!computer.online && (
        <div className="mt-3">
          <Note kind="warning">{t("models:consent.offline")}</Note>
        </div>
      )}
      {start.error && (
        <div className="mt-3">
          <Note kind="error">{describeError(start.error)}</Note>
        </div>
      )}
      <DialogActions>
        <Button data-focus-first onClick={onClose}>
          {t("common:cancel")}
        </Button>
        <Button
          variant="primary"
          busy={start.isPending}
          disabled={!computer.online}
          onClick={() => start.mutate({ catalogueId: model.id }, { onSuccess: onClose })}
        >
          {t("models:catalogue.downloadSize", { size: formatSize(model.sizeBytes) })}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** A download's progress, with buttons to pause, resume or cancel it. */
export function DownloadRow({ download }: { download: ModelDownload }) {
  const pause = usePauseDownload()
  const resume = useResumeDownload()
  const { id, name, status, receivedBytes, sizeBytes, error, sentence } = download
  const failure = pause.error ?? resume.error
  return (
    <li className="flex flex-col gap-2 px-3 py-2.5">
      <div className="flex items-center gap-2">
        <div className="min-w-0 flex-1">
          <p className="truncate text-sm" title={download.file}>
            {name}
          </p>
          <p className="text-xs text-faint tabular-nums">{describeDownload(download)}</p>
        </div>
        {status === "done" && <UseDownloaded download={download} />}
        {status === "downloading" && (
          <IconButton
            label={t("models:download.pause", { name })}
            disabled={pause.isPending}
            onClick={() => pause.mutate(id)}
          >
            <Pause aria-hidden />
          </IconButton>
        )}
        {(status === "paused" || status === "failed") && (
          <Button busy={resume.isPending} onClick={() => resume.mutate(id)}>
            {status === "paused" ? <Play aria-hidden /> : <RotateCw aria-hidden />}
            {t("models:download.resume")}
          </Button>
        )}
        <EndDownload download={download} />
      </div>
      {status !== "done" && sizeBytes !== null && (
        <ProgressBar
          percent={(100 * receivedBytes) / sizeBytes}
          label={t("models:download.progress", { name })}
        />
      )}
      {error !== null && <Note kind="error">{toPageLanguage(error, sentence)}</Note>}
      {failure && <Note kind="error">{describeError(failure)}</Note>}
    </li>
  )
}

/** Cancels a download, after asking if that discards data. Removes a finished one from the list. */
function EndDownload({ download: { id, name, status, receivedBytes } }: { download: ModelDownload }) {
  const cancel = useCancelDownload()
  const [confirming, setConfirming] = useState(false)
  const kept = status !== "done" && receivedBytes > 0
  return (
    <>
      <IconButton
        label={
          status === "done" ? t("models:download.forget", { name }) : t("models:download.cancel", { name })
        }
        disabled={cancel.isPending}
        onClick={() => (kept ? setConfirming(true) : cancel.mutate(id))}
      >
        <X aria-hidden />
      </IconButton>
      {cancel.error && (
        <p role="alert" className="text-xs text-danger">
          {describeError(cancel.error)}
        </p>
      )}
      <ConfirmDialog
        open={confirming}
        onClose={() => setConfirming(false)}
        onConfirm={() => cancel.mutate(id)}
        title={t("models:download.cancelTitle", { name })}
        description={t("models:download.cancelHint", { size: formatSize(receivedBytes) })}
        confirmLabel={t("models:download.cancelConfirm")}
      />
    </>
  )
}

function UseDownloaded({ download: { id, modelId } }: { download: ModelDownload }) {
  const { data: installed } = useInstalledModels()
  const choose = useChooseModel()
  const forget = useCancelDownload()
  const model = installed?.models.find((candidate) => candidate.id === modelId)
  const role = roleFor(model?.purpose ?? null)
  if (!model || !role) return null
  if (model.usedAs !== null || installed?.choice[role].chosenId === model.id) {
    return <span className="text-xs text-good">{t("models:download.chosen")}</span>
  }
  return (
    <>
      {choose.error && (
        <p role="alert" className="text-xs text-danger">
          {describeError(choose.error)}
        </p>
      )}
      <Button
        variant="primary"
        busy={choose.isPending}
        onClick={() => choose.mutate({ role, modelId: model.id }, { onSuccess: () => forget.mutate(id) })}
      >
        {t("models:download.use")}
      </Button>
    </>
  )
}

/** Downloads that are running, paused, failed or complete. */
export function DownloadGroup({ downloads }: { downloads: ModelDownload[] }) {
  return (
    <SettingsGroup title={t("models:download.title")}>
      <ul
        className="divide-y divide-line rounded-lg border border-line"
        aria-label={t("models:download.title")}
      >
        {downloads.map((download) => (
          <DownloadRow key={download.id} download={download} />
        ))}
      </ul>
    </SettingsGroup>
  )
}
