import { t } from "i18next"
import { useState } from "react"
import { useLocation } from "wouter"
import { useCreateFolder } from "../../data/folders/folders.ts"
import { getIssues } from "../../lib/words/field-issues.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Dialog, DialogActions } from "../../ui/layers/Dialog.tsx"
import { SelectField, TextField, PathField } from "../../ui/controls/Field.tsx"
import { Note } from "../../ui/Note.tsx"
import { toFolderName } from "./uploads/name-of-path.ts"

/** Creates a folder: an empty one for documents, or one that follows a directory on the user's computer. */
export function NewFolderDialog({ onClose }: { onClose: () => void }) {
  const [typedName, setName] = useState<string>()
  const [path, setPath] = useState("")
  const name = typedName ?? toFolderName(path)
  const [pipeline, setPipeline] = useState<"full" | "light">("full")
  const [, navigate] = useLocation()
  const create = useCreateFolder()
  const issues = getIssues(create.error, ["name", "folder"])

  function submit() {
    const folder = path.trim()
    create.mutate(
      { name: name.trim(), pipeline, ...(folder === "" ? {} : { folder }) },
      {
        onSuccess: ({ vector }) => {
          onClose()
          navigate(routes.folder(vector.id))
        },
      },
    )
  }

  return (
    <Dialog open onClose={onClose} title={t("folders:new.title")} description={t("folders:new.description")}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <TextField
          label={t("folders:field.name")}
          placeholder={t("folders:new.nameExample")}
          value={name}
          maxLength={120}
          onChange={(event) => setName(event.target.value)}
          error={issues["name"]}
        />
        <PathField
          kind="directory"
          label={t("folders:new.directory")}
          placeholder={t("folders:new.directoryExample")}
          value={path}
          onPath={setPath}
          hint={t("folders:new.directoryHint")}
          error={issues["folder"]}
        />
        <details>
          <summary className="w-fit rounded text-sm text-soft hover:text-ink">
            {t("folders:new.more")}
          </summary>
          <div className="mt-3">
            <SelectField
              label={t("folders:pipeline.label")}
              hint={t("folders:pipeline.hint")}
              value={pipeline}
              onChange={(event) => setPipeline(event.target.value === "light" ? "light" : "full")}
            >
              <option value="full">{t("folders:pipeline.full")}</option>
              <option value="light">{t("folders:pipeline.light")}</option>
            </SelectField>
          </div>
        </details>
        {issues["other"] !== undefined && <Note kind="error">{issues["other"]}</Note>}
        <DialogActions>
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <Button type="submit" variant="primary" busy={create.isPending} disabled={name.trim() === ""}>
            {t("folders:new.submit")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
