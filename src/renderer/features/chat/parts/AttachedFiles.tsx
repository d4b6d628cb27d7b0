import { t } from "i18next"
import { X } from "lucide-react"
import { useState, type ReactNode } from "react"
import { isPicture } from "../../../data/file-pages.ts"
import { deleteFile } from "../../../data/files.ts"
import { describeError } from "../../../lib/box.ts"
import { useOpenDocument } from "../../../lib/places/open-document.ts"
import { showToast } from "../../../lib/toasts.ts"
import { classNames } from "../../../ui/class-names.ts"
import { FileGlyph } from "../../../ui/pictures/FileGlyph.tsx"
import { useOwnFolder } from "../composer/attachments.ts"
import type { ShownFile } from "../composer/new-files.ts"
import { Thumbnail } from "./Thumbnail.tsx"

interface AttachedFilesProps {
  chatId: string
  files: readonly ShownFile[]
  /** No answer is being written: what it would read may be removed. */
  idle: boolean
}

/** What was sent with a message: pictures as such, other files by their names. */
export function AttachedFiles({ chatId, files, idle }: AttachedFilesProps) {
  const folderId = useOwnFolder(chatId)
  const pictures = files.filter(({ name }) => isPicture(name)).length
  return (
    <ul aria-label={t("chat:attach.sent")} className="flex max-w-[85%] flex-wrap justify-end gap-1.5">
      {files.map((file) => (
        <li key={file.fileId} className="group/file relative min-w-0">
          {folderId !== undefined && isPicture(file.name) ? (
            <SentPicture folderId={folderId} file={file} alone={pictures === 1} removable={idle} />
          ) : (
            <SentFile folderId={folderId} file={file} />
          )}
        </li>
      ))}
    </ul>
  )
}

interface SentPictureProps {
  folderId: string
  file: ShownFile
  /** It is the only one of its message, so it has room. */
  alone: boolean
  removable: boolean
}

function SentPicture({ folderId, file, alone, removable }: SentPictureProps) {
  const { fileId, name } = file
  const [removed, setRemoved] = useState(false)
  const plain = <SentFile folderId={undefined} file={file} />
  if (removed) return plain

  function remove() {
    deleteFile(folderId, fileId).then(
      () => setRemoved(true),
      (error: unknown) => showToast(describeError(error), "error"),
    )
  }

  return (
    <>
      <OpenButton folderId={folderId} file={file} className="block max-w-full rounded-xl">
        <Thumbnail
          folderId={folderId}
          fileId={fileId}
          alt={name}
          className={classNames(
            "block max-w-full rounded-xl bg-well object-cover ring-1 ring-line",
            alone ? "h-44 min-w-24" : "size-24",
          )}
          fallback={plain}
        />
      </OpenButton>
      {removable && (
        <button
          type="button"
          aria-label={t("chat:attach.remove", { name })}
          title={t("chat:attach.remove", { name })}
          onClick={remove}
          className="absolute top-1.5 right-1.5 flex size-6 items-center justify-center rounded-full bg-raised text-soft opacity-0 shadow-float ring-1 ring-line group-hover/file:opacity-100 hover:text-ink focus-visible:opacity-100 no-hover:opacity-100"
        >
          <X className="size-3.5" aria-hidden />
        </button>
      )}
    </>
  )
}

/** A file by its name, to be opened where its folder is known. */
function SentFile({ folderId, file }: { folderId: string | undefined; file: ShownFile }) {
  const look = "flex h-8 max-w-64 items-center gap-2 rounded-lg border border-line bg-well px-2.5 text-xs"
  const content = (
    <>
      <FileGlyph name={file.name} />
      <span className="truncate">{file.name}</span>
    </>
  )
  if (folderId === undefined)
    return (
      <span title={file.name} className={classNames(look, "text-faint")}>
        {content}
      </span>
    )
  return (
    <OpenButton folderId={folderId} file={file} className={classNames(look, "hover:bg-hover")}>
      {content}
    </OpenButton>
  )
}

interface OpenButtonProps {
  folderId: string
  file: ShownFile
  className: string
  children: ReactNode
}

/** Opens a file at the side. */
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
