import { t } from "i18next"
import { Download, FileText } from "lucide-react"
import { useState } from "react"
import type { MessagePart } from "../../../../shared/contract/chat.ts"
import { download } from "../../../lib/browser/download.ts"
import { formatSize } from "../../../lib/words/format.ts"
import { BoxPicture } from "../../../ui/pictures/BoxPicture.tsx"
import { visibleText } from "../../../lib/words/visible-text.ts"
import { MiddleCut } from "../../../ui/text/LongText.tsx"

type FilePart = Extract<MessagePart, { type: "file" }>

const shownTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"])
const largestShown = 10_000_000

/** Files created by tools, to download. Images are also shown. */
export function ProducedFiles({ files, chatId }: { files: FilePart[]; chatId: string }) {
  return (
    <ul aria-label={t("tools:files")} className="flex flex-wrap items-start gap-2">
      {files.map((file) => (
        <li key={file.fileId} className="max-w-full">
          <ProducedFile file={file} chatId={chatId} />
        </li>
      ))}
    </ul>
  )
}

function ProducedFile({ file, chatId }: { file: FilePart; chatId: string }) {
  const { fileId, mediaType, size } = file
  const name = visibleText(file.name)
  const path = `/api/public/chats/${encodeURIComponent(chatId)}/files/${encodeURIComponent(fileId)}`
  const [broken, setBroken] = useState(false)
  const pictured = !broken && size <= largestShown && shownTypes.has(mediaType)
  return (
    <div className="overflow-hidden rounded-lg border border-line">
      {pictured && (
        <BoxPicture
          path={path}
          alt={name}
          onFailed={() => setBroken(true)}
          className="max-h-80 max-w-full bg-paper object-contain"
        />
      )}
      <button
        type="button"
        onClick={() => void download(path)}
        title={name}
        className="flex h-9 max-w-80 items-center gap-2 px-3 text-left text-sm hover:bg-hover focus-visible:-outline-offset-2"
      >
        <FileText className="size-4 shrink-0 text-faint" aria-hidden />
        <span className="sr-only">{t("tools:download")}</span>
        <span className="min-w-0 flex-1 truncate">
          <MiddleCut text={name} />
        </span>
        <span className="shrink-0 text-xs text-faint tabular-nums">{formatSize(size)}</span>
        <Download className="size-4 shrink-0 text-soft" aria-hidden />
      </button>
    </div>
  )
}
