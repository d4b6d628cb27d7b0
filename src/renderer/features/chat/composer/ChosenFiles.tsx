import { t } from "i18next"
import { X } from "lucide-react"
import type { AskedFile } from "../../../../shared/contract/chat.ts"
import { useFile } from "../../../data/folders/files.ts"
import { IconButton } from "../../../ui/controls/Button.tsx"
import { FileGlyph } from "../../../ui/pictures/FileGlyph.tsx"
import { MiddleCut } from "../../../ui/text/LongText.tsx"

/** A file that the next question is about. Its name is loaded if unknown. */
export type ChosenFile = Omit<AskedFile, "name"> & { name?: string }

/** Maximum files listed by name; the others are counted. */
const maxNamed = 6

interface ChosenFilesProps {
  files: readonly ChosenFile[]
  onChange: (files: ChosenFile[]) => void
}

/** The files to which the next question is limited, in place of their whole folder. */
export function ChosenFiles({ files, onChange }: ChosenFilesProps) {
  const more = files.length - maxNamed
  return (
    <ul aria-label={t("reading:about")} className="mb-2 flex flex-wrap items-center gap-1.5">
      {files.slice(0, maxNamed).map((file) => (
        <FileChip
          key={file.fileId}
          file={file}
          onRemove={() => onChange(files.filter(({ fileId }) => fileId !== file.fileId))}
        />
      ))}
      {more > 0 && (
        <li className="flex h-8 items-center gap-1 rounded-lg bg-well pl-2.5 text-sm text-soft">
          {t("reading:moreFiles", { count: more })}
          <IconButton label={t("reading:withoutMore")} onClick={() => onChange(files.slice(0, maxNamed))}>
            <X aria-hidden />
          </IconButton>
        </li>
      )}
    </ul>
  )
}

function FileChip({ file, onRemove }: { file: ChosenFile; onRemove: () => void }) {
  const { data } = useFile(file.vectorId, file.name === undefined ? file.fileId : undefined)
  const name = file.name ?? data?.name ?? "…"
  return (
    <li className="flex h-8 max-w-60 items-center gap-1.5 rounded-lg bg-well pl-2 text-sm">
      <FileGlyph name={name} />
      <span className="min-w-0 truncate" title={name}>
        <MiddleCut text={name} />
      </span>
      <IconButton label={t("reading:without", { name })} onClick={onRemove}>
        <X aria-hidden />
      </IconButton>
    </li>
  )
}
