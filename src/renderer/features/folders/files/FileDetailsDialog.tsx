import { t } from "i18next"
import { Download, RotateCcw } from "lucide-react"
import { useState } from "react"
import type { FileEntry } from "../../../../shared/contract/files.ts"
import {
  useUpdateFile,
  fileDownloadPath,
  isSettled,
  useFile,
  useRetryFile,
} from "../../../data/folders/files.ts"
import { describeError } from "../../../lib/box.ts"
import { download } from "../../../lib/browser/download.ts"
import { showError } from "../../../lib/toasts.ts"
import { formatCount, formatFullMoment, formatSize } from "../../../lib/words/format.ts"
import { isLocked, getReason } from "../../../lib/words/sentence.ts"
import { Note } from "../../../ui/Note.tsx"
import { Button } from "../../../ui/controls/Button.tsx"
import { Facts } from "../../../ui/controls/Sections.tsx"
import { Dialog, DialogActions } from "../../../ui/layers/Dialog.tsx"
import { FileHistory } from "../filing/FileHistory.tsx"
import { WebFacts } from "../web-pages/WebFacts.tsx"
import { includeInSearch } from "./file-commands.ts"

/** The file's own date, not when it was indexed. */
export const getFileDate = ({ modifiedAt, createdAt }: FileEntry) => modifiedAt ?? createdAt

interface PasswordFieldProps {
  folderId: string
  file: FileEntry
  password: string
  onChange: (password: string) => void
  /** Whether the last password is being tried. */
  isTried: boolean
  onTry?: () => void
}

/** Opens a file with its password, which is kept in memory only. */
export function PasswordField({ folderId, file, password, onChange, isTried, onTry }: PasswordFieldProps) {
  const update = useUpdateFile(folderId)
  return (
    <form
      className="flex items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        onTry?.()
        update.mutate({ fileId: file.id, patch: { password } }, { onError: showError })
      }}
    >
      <input
        type="password"
        autoComplete="off"
        aria-label={t("folders:fix.passwordOf", { name: file.name })}
        placeholder={t("folders:fix.password")}
        value={password}
        maxLength={200}
        onChange={(event) => onChange(event.target.value)}
        className="h-8 w-36 rounded-md border border-line-strong bg-field px-2 text-sm"
      />
      <Button type="submit" variant="primary" busy={update.isPending || isTried} disabled={password === ""}>
        {t("folders:fix.unlock")}
      </Button>
    </form>
  )
}

interface FileDetailsDialogProps {
  folderId: string
  owned: boolean
  /** The file's entry in the list. */
  listed: FileEntry
  onClose: () => void
}

/** Everything known about a file, above all the full reason for its state. */
export function FileDetailsDialog({ folderId, owned, listed, onClose }: FileDetailsDialogProps) {
  const { data: file = listed } = useFile(folderId, listed.id)
  const retry = useRetryFile(folderId)
  const [password, setPassword] = useState("")
  const locked = owned && isLocked(file)
  const reason = getReason(file)
  const idle = isSettled(file)
  return (
    <Dialog open onClose={onClose} title={file.name}>
      {reason !== null && (
        <div className="mb-3">
          <Note kind={file.status === "failed" ? "error" : "info"}>{reason}</Note>
        </div>
      )}
      {locked && (
        <div className="mb-3">
          <PasswordField
            folderId={folderId}
            file={file}
            password={password}
            onChange={setPassword}
            isTried={!idle}
          />
        </div>
      )}
      {file.web && <WebFacts folderId={folderId} file={file} web={file.web} owned={owned} />}
      <Facts
        rows={[
          [t("folders:table.state"), t(`folders:status.${file.status}`)],
          ...(file.folder === "" ? [] : [[t("folders:file.subFolder"), file.folder] as [string, string]]),
          [t("folders:table.size"), formatSize(file.size)],
          [t("folders:file.added"), formatFullMoment(file.createdAt)],
          [t("folders:table.changed"), formatFullMoment(getFileDate(file))],
          [t("folders:file.attempts"), formatCount(file.attempts)],
          ...(file.tags?.length ? [[t("filing:tags"), file.tags.join(", ")] as [string, string]] : []),
        ]}
      />
      {owned && <FileHistory folderId={folderId} fileId={file.id} />}
      {retry.error && (
        <div className="mt-3">
          <Note kind="error">{describeError(retry.error)}</Note>
        </div>
      )}
      <DialogActions>
        {file.storage === "local" && (
          <Button data-focus-first onClick={() => void download(fileDownloadPath(folderId, file.id))}>
            <Download aria-hidden /> {t("folders:file.download")}
          </Button>
        )}
        {owned && idle && !locked && (
          <Button
            variant={file.status === "failed" ? "primary" : "secondary"}
            busy={retry.isPending}
            onClick={() =>
              file.leftOut === true
                ? void includeInSearch(folderId, file.id).then(onClose)
                : retry.mutate(file.id, { onSuccess: onClose })
            }
          >
            <RotateCcw aria-hidden /> {retryLabel(file)}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}

function retryLabel({ web, leftOut }: FileEntry): string {
  if (leftOut === true) return t("folders:file.putIn")
  return web ? t("folders:web.fetchAgain") : t("folders:file.again")
}
