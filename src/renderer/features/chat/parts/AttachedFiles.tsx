import { t } from "i18next"
import { KeyRound, X } from "lucide-react"
import { Suspense, useState, type ReactNode } from "react"
import type { FileEntry } from "../../../../shared/contract/files.ts"
import { isPicture, deleteFile } from "../../../data/folders/files.ts"
import { later } from "../../../lib/later.ts"
import { useOpenDocument } from "../../../lib/navigation/open-document.ts"
import { showError } from "../../../lib/toasts.ts"
import { isLocked } from "../../../lib/words/sentence.ts"
import { classNames } from "../../../ui/class-names.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { FileGlyph } from "../../../ui/pictures/FileGlyph.tsx"
import { useAttachments } from "../composer/attachments/attachments.ts"
import { fileState, type ShownFile } from "../composer/attachments/attachment-store.ts"
import { Thumbnail } from "../composer/attachments/AttachmentList.tsx"
import { MiddleCut } from "../../../ui/text/LongText.tsx"

const UnlockDialog = later(async () => (await import("./UnlockDialog.tsx")).UnlockDialog)

interface AttachedFilesProps {
  chatId: string
  files: readonly ShownFile[]
  /** Whether no answer is being written, so that files can be removed. */
  idle: boolean
}

/** Files sent with a message: images as previews, other files as cards that show what can't be read. */
export function AttachedFiles({ chatId, files, idle }: AttachedFilesProps) {
  const { folderId, files: entries } = useAttachments(chatId)
  const pictures = files.filter(({ name }) => isPicture(name)).length
  return (
    <ul aria-label={t("chat:attach.sent")} className="flex max-w-[85%] flex-wrap justify-end gap-1.5">
      {files.map((file) => (
        <li key={file.fileId} className="group/file relative min-w-0">
          {folderId === undefined ? (
            <FileCard folderId={undefined} file={file} entry={undefined} />
          ) : (
            <SentFile
              folderId={folderId}
              file={file}
              entry={entries.find(({ id }) => id === file.fileId)}
              alone={pictures === 1}
              removable={idle}
            />
          )}
        </li>
      ))}
    </ul>
  )
}

interface SentFileProps {
  folderId: string
  file: ShownFile
  /** The file's entry in the chat's folder; undefined if unknown. */
  entry: FileEntry | undefined
  /** Whether it is the message's only image and can be shown larger. */
  alone: boolean
  removable: boolean
}

function SentFile({ folderId, file, entry, alone, removable }: SentFileProps) {
  const { fileId, name } = file
  const [removed, setRemoved] = useState(false)
  if (removed) return <FileCard folderId={undefined} file={file} entry={undefined} />
  const card = <FileCard folderId={folderId} file={file} entry={entry} />

  function remove() {
    deleteFile(folderId, fileId).then(() => setRemoved(true), showError)
  }

  return (
    <>
      {isPicture(name) ? (
        <OpenButton folderId={folderId} file={file} className="block max-w-full rounded-xl">
          <Thumbnail
            folderId={folderId}
            fileId={fileId}
            alt={name}
            className={classNames(
              "block max-w-full rounded-xl bg-well object-cover ring-1 ring-line",
              alone ? "h-44 min-w-24" : "size-24",
            )}
            fallback={card}
          />
        </OpenButton>
      ) : (
        card
      )}
      {removable && (
        <button
          type="button"
          aria-label={t("chat:attach.remove", { name })}
          title={t("chat:attach.remove", { name })}
          onClick={remove}
          className={classNames(
            "absolute flex size-6 items-center justify-center rounded-full bg-raised text-soft opacity-0 shadow-float ring-1 ring-line group-hover/file:opacity-100 hover:text-ink focus-visible:opacity-100 no-hover:opacity-100",
            isPicture(name) ? "top-1.5 right-1.5" : "-top-2 -right-2",
          )}
        >
          <X className="size-3.5" aria-hidden />
        </button>
      )}
    </>
  )
}

interface FileCardProps {
  folderId: string | undefined
  file: ShownFile
  entry: FileEntry | undefined
}

/** A file's name and what can't be read of it. The file can be opened if its folder is known. */
function FileCard({ folderId, file, entry }: FileCardProps) {
  const state = entry && fileState(entry)
  const failed = entry?.status === "failed"
  const rowClasses = "flex min-h-8 max-w-full items-center gap-2 rounded-lg px-2.5 text-left text-xs"
  const content = (
    <>
      <FileGlyph name={file.name} />
      <span className="min-w-0 truncate" title={file.name}>
        <MiddleCut text={file.name} />
      </span>
    </>
  )
  return (
    <div
      className={classNames(
        "max-w-72 rounded-lg border text-xs",
        failed ? "border-danger bg-danger-tint" : "border-line bg-well",
      )}
    >
      {folderId === undefined ? (
        <span title={file.name} className={classNames(rowClasses, "text-faint")}>
          {content}
        </span>
      ) : (
        <OpenButton
          folderId={folderId}
          file={file}
          className={classNames(rowClasses, "w-full hover:bg-hover")}
        >
          {content}
        </OpenButton>
      )}
      {state !== undefined && (
        <p
          className={classNames(
            "line-clamp-3 px-2.5 pb-1.5 break-words",
            failed ? "text-danger" : "text-faint",
          )}
        >
          {state}
        </p>
      )}
      {folderId !== undefined && entry && isLocked(entry) && <Unlock folderId={folderId} entry={entry} />}
    </div>
  )
}

function Unlock({ folderId, entry }: { folderId: string; entry: FileEntry }) {
  const [open, setOpen] = useState(false)
  return (
    <div className="px-2.5 pb-2">
      <Button onClick={() => setOpen(true)}>
        <KeyRound aria-hidden /> {t("chat:attach.unlock")}
      </Button>
      <Suspense>
        {open && <UnlockDialog folderId={folderId} file={entry} onClose={() => setOpen(false)} />}
      </Suspense>
    </div>
  )
}

interface OpenButtonProps {
  folderId: string
  file: ShownFile
  className: string
  children: ReactNode
}

/** Opens a file in the side panel. */
function OpenButton({ folderId, file: { fileId, name }, className, children }: OpenButtonProps) {
  const openDocument = useOpenDocument()
  return (
    <button
      type="button"
      aria-label={t("chat:attach.open", { name })}
      title={name}
      onClick={() => openDocument({ vectorId: folderId, fileId, fileName: name })}
      className={className}
    >
      {children}
    </button>
  )
}
