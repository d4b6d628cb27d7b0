import { t } from "i18next"
import { CircleAlert, KeyRound, RotateCcw, X } from "lucide-react"
import { useState, type ReactNode, Suspense } from "react"
import type { FileEntry } from "../../../../../shared/contract/files.ts"
import {
  filePagePath,
  isPicture,
  isSettled,
  useDeleteFile,
  useRetryFile,
} from "../../../../data/folders/files.ts"
import { later } from "../../../../lib/later.ts"
import { showError } from "../../../../lib/toasts.ts"
import { isLocked } from "../../../../lib/words/sentence.ts"
import { Spinner } from "../../../../ui/Progress.tsx"
import { classNames } from "../../../../ui/class-names.ts"
import { BoxPicture } from "../../../../ui/pictures/BoxPicture.tsx"
import { FileGlyph } from "../../../../ui/pictures/FileGlyph.tsx"
import { MiddleCut } from "../../../../ui/text/LongText.tsx"
import { fileState, isNew, withoutUpload, type NewFiles } from "./attachment-store.ts"
import { attachments, useAttachments } from "./attachments.ts"

interface ThumbnailProps {
  folderId: string
  fileId: string
  /** Alternative text; empty if the name is shown next to the image. */
  alt: string
  className: string
  /** Shown if the image can't be loaded or no longer exists. */
  fallback: ReactNode
}

/** Maximum width for images that the box renders. */
const drawnWidth = 600

/** A chat's file as a small image. */
export function Thumbnail({ folderId, fileId, alt, className, fallback }: ThumbnailProps) {
  const [failed, setFailed] = useState(false)
  if (failed) return fallback
  return (
    <BoxPicture
      path={filePagePath(folderId, fileId, 1, drawnWidth)}
      alt={alt}
      onFailed={() => setFailed(true)}
      className={className}
    />
  )
}

const UnlockDialog = later(async () => (await import("../../parts/UnlockDialog.tsx")).UnlockDialog)

export type NextFiles = Omit<NewFiles, "own">

interface AttachmentListProps {
  chatId: string
  next: NextFiles | undefined
}

/** The attachments for the next question, each with its state. Attachments already sent are shown in their message. */
export function AttachmentList({ chatId, next }: AttachmentListProps) {
  const { folderId, uploads, files: all } = useAttachments(chatId)
  const files = next ? withoutUpload(all, uploads).filter((file) => isNew(file, next)) : []
  if (uploads.length === 0 && files.length === 0) return null
  return (
    <ul
      aria-label={t("chat:attach.list")}
      className="mb-2 flex max-h-24 flex-wrap gap-1.5 overflow-y-auto p-0.5"
    >
      {folderId !== undefined &&
        files.map((file) => <IndexedFile key={file.id} folderId={folderId} file={file} />)}
      {uploads.map(({ id, file, failure }) => (
        <Chip
          key={id}
          name={file.name}
          state={failure ?? t("chat:attach.uploading")}
          failed={failure !== undefined}
          busy={failure === undefined}
          onRetry={failure === undefined ? undefined : () => attachments.retry(chatId, id)}
          onRemove={failure === undefined ? undefined : () => attachments.dismiss(chatId, id)}
        />
      ))}
    </ul>
  )
}

function IndexedFile({ folderId, file }: { folderId: string; file: FileEntry }) {
  const remove = useDeleteFile(folderId)
  const retry = useRetryFile(folderId)
  const [unlocking, setUnlocking] = useState(false)
  const [tried, setTried] = useState(false)
  const close = () => {
    setUnlocking(false)
    setTried(true)
  }
  const failed = file.status === "failed"
  const locked = isLocked(file)
  const busy = !isSettled(file)
  return (
    <Chip
      name={file.name}
      picture={
        isPicture(file.name) && (
          <Thumbnail
            folderId={folderId}
            fileId={file.id}
            alt=""
            className="-ml-1 size-8 rounded-md bg-well object-cover ring-1 ring-line"
            fallback={null}
          />
        )
      }
      state={fileState(file) ?? t("chat:attach.ready")}
      failed={failed}
      busy={busy}
      // The button stays while the file is read. It has the focus, which would otherwise move to the button that removes the file.
      onUnlock={locked || (tried && busy) ? () => setUnlocking(true) : undefined}
      onRetry={failed && !locked ? () => retry.mutate(file.id, { onError: showError }) : undefined}
      onRemove={() => remove.mutate(file.id, { onError: showError })}
    >
      <Suspense>{unlocking && <UnlockDialog folderId={folderId} file={file} onClose={close} />}</Suspense>
    </Chip>
  )
}

interface ChipProps {
  name: string
  /** A preview of the file. */
  picture?: ReactNode
  state: string
  failed: boolean
  busy: boolean
  onUnlock?: (() => void) | undefined
  onRetry: (() => void) | undefined
  onRemove: (() => void) | undefined
  children?: ReactNode
}

function Chip({ name, picture, state, failed, busy, onUnlock, onRetry, onRemove, children }: ChipProps) {
  return (
    <li
      className={classNames(
        "flex h-11 max-w-72 min-w-0 items-center gap-2 rounded-lg border pr-1 pl-2.5",
        failed ? "border-danger bg-danger-tint" : "border-line bg-well",
      )}
    >
      {picture}
      {(!picture || failed || busy) && (
        <span className="shrink-0 text-faint [&_svg]:size-4">{chooseIcon(name, failed, busy)}</span>
      )}
      <span className="min-w-0 flex-1">
        <span className="block truncate text-xs leading-4 font-medium" title={name}>
          <MiddleCut text={name} />
        </span>
        <span
          className={classNames("block truncate text-xs leading-4", failed ? "text-danger" : "text-faint")}
          title={state}
        >
          {state}
        </span>
      </span>
      {onUnlock && (
        <ChipButton label={t("chat:attach.unlockFile", { name })} onClick={onUnlock}>
          <KeyRound className="size-3.5" aria-hidden />
        </ChipButton>
      )}
      {onRetry && (
        <ChipButton label={t("chat:attach.retry", { name })} onClick={onRetry}>
          <RotateCcw className="size-3.5" aria-hidden />
        </ChipButton>
      )}
      {onRemove && (
        <ChipButton label={t("chat:attach.remove", { name })} onClick={onRemove}>
          <X className="size-3.5" aria-hidden />
        </ChipButton>
      )}
      {children}
    </li>
  )
}

function chooseIcon(name: string, failed: boolean, busy: boolean): ReactNode {
  if (failed) return <CircleAlert className="text-danger" aria-hidden />
  return busy ? <Spinner /> : <FileGlyph name={name} />
}

function ChipButton({
  label,
  onClick,
  children,
}: {
  label: string
  onClick: () => void
  children: ReactNode
}) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={onClick}
      className="flex size-6 shrink-0 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-ink"
    >
      {children}
    </button>
  )
}
