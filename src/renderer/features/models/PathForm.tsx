import { t } from "i18next"
import { useState } from "react"
import type { InstalledModel } from "../../../shared/contract/models.ts"
import { useAddModel } from "../../data/models/models.ts"
import { getIssues } from "../../lib/words/field-issues.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { PathField } from "../../ui/controls/Field.tsx"

interface PathFormProps {
  /** The button's label. */
  submit: string
  onAdded: (model: InstalledModel) => void
}

/** Adds a GGUF file by its path. */
export function PathForm({ submit, onAdded }: PathFormProps) {
  const [path, setPath] = useState("")
  const add = useAddModel()
  const issues = getIssues(add.error, ["path"])
  return (
    <form
      className="flex flex-col items-start gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        add.mutate(path.trim(), {
          onSuccess: ({ model }) => {
            setPath("")
            onAdded(model)
          },
        })
      }}
    >
      <div className="w-full">
        <PathField
          kind="file"
          label={t("models:add.path")}
          hint={t("models:add.pathHint")}
          value={path}
          onPath={setPath}
          error={issues["path"] ?? issues["other"]}
        />
      </div>
      <Button type="submit" busy={add.isPending} disabled={path.trim() === ""}>
        {submit}
      </Button>
    </form>
  )
}
