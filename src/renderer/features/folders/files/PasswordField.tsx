import { t } from "i18next"
import type { FileEntry } from "../../../../shared/contract/files.ts"
import { useUpdateFile } from "../../../data/folders/files.ts"
import { describeError } from "../../../lib/box.ts"
import { showToast } from "../../../lib/toasts.ts"
import { Button } from "../../../ui/controls/Button.tsx"

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
        update.mutate(
          { fileId: file.id, patch: { password } },
          { onError: (error) => showToast(describeError(error), "error") },
        )
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
