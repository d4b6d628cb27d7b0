import { Pause, Play, RotateCw, X } from "lucide-react"
import { useState } from "react"
import type { ModelDownload } from "../../../shared/contract/model-files.ts"
import {
  useCancelDownload,
  useChooseModel,
  useInstalledModels,
  usePauseDownload,
  useResumeDownload,
} from "../../data/models.ts"
import { describeError } from "../../lib/box.ts"
import { formatSize } from "../../lib/format.ts"
import { Button } from "../../ui/Button.tsx"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { Note } from "../../ui/Note.tsx"
import { ProgressBar } from "../../ui/ProgressBar.tsx"
import { SettingsGroup } from "../../ui/SettingsGroup.tsx"
import { describeDownload } from "./wording.ts"

/** Downloads that run, rest, failed or are done. */
export function DownloadGroup({ downloads }: { downloads: ModelDownload[] }) {
  return (
    <SettingsGroup title="Downloads">
      <ul className="divide-y divide-line rounded-lg border border-line" aria-label="Downloads">
        {downloads.map((download) => (
          <DownloadRow key={download.id} download={download} />
        ))}
      </ul>
    </SettingsGroup>
  )
}

function DownloadRow({ download }: { download: ModelDownload }) {
  const pause = usePauseDownload()
  const resume = useResumeDownload()
  const { id, name, status, receivedBytes, sizeBytes, error } = download
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
          <IconButton label={`Pause ${name}`} disabled={pause.isPending} onClick={() => pause.mutate(id)}>
            <Pause aria-hidden />
          </IconButton>
        )}
        {(status === "paused" || status === "failed") && (
          <Button busy={resume.isPending} onClick={() => resume.mutate(id)}>
            {status === "paused" ? <Play aria-hidden /> : <RotateCw aria-hidden />}
            Resume
          </Button>
        )}
        <EndDownload download={download} />
      </div>
      {status !== "done" && sizeBytes !== null && (
        <ProgressBar percent={(100 * receivedBytes) / sizeBytes} label={`Downloading ${name}`} />
      )}
      {error !== null && <Note kind="error">{error}</Note>}
      {failure && <Note kind="error">{describeError(failure)}</Note>}
    </li>
  )
}

/** Cancels a download, asking first when that throws bytes away; takes an ended one off the list. */
function EndDownload({ download: { id, name, status, receivedBytes } }: { download: ModelDownload }) {
  const cancel = useCancelDownload()
  const [confirming, setConfirming] = useState(false)
  const kept = status !== "done" && receivedBytes > 0
  return (
    <>
      <IconButton
        label={status === "done" ? `Take ${name} off this list` : `Cancel ${name}`}
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
        title={`Cancel the download of ${name}?`}
        description={`The ${formatSize(receivedBytes)} that have arrived are deleted. Pause it to keep them.`}
        confirmLabel="Cancel download"
      />
    </>
  )
}

function UseDownloaded({ download: { id, modelId } }: { download: ModelDownload }) {
  const { data: installed } = useInstalledModels()
  const choose = useChooseModel()
  const forget = useCancelDownload()
  const model = installed?.models.find((candidate) => candidate.id === modelId)
  if (!model || (model.purpose !== "chat" && model.purpose !== "embedding")) return null
  if (model.usedAs !== null || installed?.choice[model.purpose].chosenId === model.id)
    return <span className="text-xs text-good">Chosen</span>
  const role = model.purpose
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
        Use it
      </Button>
    </>
  )
}
