import { t } from "i18next"
import { FolderOpen } from "lucide-react"
import type { ComponentProps } from "react"
import { shellBridge } from "../../lib/browser/shell-bridge.ts"
import { Button } from "./Button.tsx"
import { TextField } from "./Field.tsx"

interface PathFieldProps extends Omit<ComponentProps<typeof TextField>, "value" | "onChange" | "maxLength"> {
  /** A directory can be chosen in the system's dialog, if there is one. */
  kind: "directory" | "file"
  value: string
  onPath: (path: string) => void
}

/** A path on this computer: typed, chosen, or dropped. Browsers don't reveal the path of a dropped file. */
export function PathField({ kind, value, onPath, ...rest }: PathFieldProps) {
  const bridge = shellBridge()

  async function pick() {
    const picked = await bridge?.pickDirectory()
    if (typeof picked === "string") onPath(picked)
  }

  return (
    <div className="flex items-start gap-2">
      <div className="flex-1">
        <TextField
          {...rest}
          value={value}
          maxLength={4096}
          onChange={({ target }) => onPath(target.value)}
          onDrop={(event) => {
            const [file] = event.dataTransfer.files
            const path = file && bridge?.getPath(file)
            if (path === undefined || path === "") return
            event.preventDefault()
            onPath(path)
          }}
        />
      </div>
      {kind === "directory" && bridge && (
        <Button onClick={() => void pick()} className="mt-6.5 h-9">
          <FolderOpen aria-hidden /> {t("common:choose")}
        </Button>
      )}
    </div>
  )
}
