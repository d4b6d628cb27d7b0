import { t } from "i18next"
import { FolderOpen } from "lucide-react"
import type { ComponentProps } from "react"
import { shellBridge } from "../../lib/browser/shell-bridge.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { TextField } from "../../ui/controls/Field.tsx"

interface DirectoryFieldProps extends Omit<ComponentProps<typeof TextField>, "onChange" | "maxLength"> {
  onPath: (path: string) => void
}

/** The path of a directory: typed, or chosen in the system's window where there is one. */
export function DirectoryField({ onPath, ...rest }: DirectoryFieldProps) {
  const pickDirectory = shellBridge()?.pickDirectory

  async function pick() {
    const picked = await pickDirectory?.()
    if (typeof picked === "string") onPath(picked)
  }

  return (
    <div className="flex items-start gap-2">
      <div className="flex-1">
        <TextField {...rest} maxLength={4096} onChange={({ target }) => onPath(target.value)} />
      </div>
      {pickDirectory && (
        <Button onClick={() => void pick()} className="mt-6.5 h-9">
          <FolderOpen aria-hidden /> {t("folders:new.choose")}
        </Button>
      )}
    </div>
  )
}
