import { t } from "i18next"
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { useLocation } from "wouter"
import type { Automation } from "../../../shared/contract/automations.ts"
import { runAutomation } from "../../data/automations.ts"
import { useMatchingFiles } from "../../data/folders/files.ts"
import { useFolders } from "../../data/folders/folders.ts"
import { useDebounced } from "../../lib/debounced.ts"
import { workRoutes } from "../../lib/navigation/work-routes.ts"
import { getIssues } from "../../lib/words/field-issues.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { SelectField } from "../../ui/controls/Field.tsx"
import { SearchField } from "../../ui/controls/SearchField.tsx"
import { Dialog, DialogActions } from "../../ui/layers/Dialog.tsx"
import { Note } from "../../ui/Note.tsx"

interface TryDialogProps {
  automation: Automation
  onClose: () => void
}

/** Runs the automation as a dry run, with or without a file. Nothing is sent or changed. */
export function TryDialog({ automation: { id, trigger, vectorIds }, onClose }: TryDialogProps) {
  const { data: folders = [] } = useFolders()
  const needsFile = trigger.kind === "file"
  const [chosenFolder, setFolderId] = useState(needsFile ? trigger.vectorId : (vectorIds[0] ?? ""))
  const folderId = folders.some((folder) => folder.id === chosenFolder) ? chosenFolder : ""
  const [fileId, setFileId] = useState<string>()
  const [location, navigate] = useLocation()
  const begin = useMutation({
    mutationFn: () => runAutomation(id, { dryRun: true, ...(fileId !== undefined && { fileId }) }),
    onSuccess() {
      onClose()
      if (location !== workRoutes.one(id)) navigate(workRoutes.one(id))
    },
  })
  const issues = getIssues(begin.error, ["fileId"])
  return (
    <Dialog open onClose={onClose} title={t("automations:try.title")} description={t("automations:try.text")}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          begin.mutate()
        }}
      >
        <SelectField
          label={t("automations:try.folder")}
          value={folderId}
          onChange={(event) => {
            setFolderId(event.target.value)
            setFileId(undefined)
          }}
        >
          <option value="">{t("automations:try.noFile")}</option>
          {folders.map((folder) => (
            <option key={folder.id} value={folder.id}>
              {folder.name}
            </option>
          ))}
        </SelectField>
        {folderId !== "" && <FileChoice folderId={folderId} chosen={fileId} onChoose={setFileId} />}
        {(issues["fileId"] ?? issues["other"]) !== undefined && (
          <Note kind="error">{issues["fileId"] ?? issues["other"]}</Note>
        )}
        <DialogActions>
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <Button
            type="submit"
            variant="primary"
            busy={begin.isPending}
            disabled={folderId !== "" && fileId === undefined}
          >
            {t("automations:try.begin")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

interface FileChoiceProps {
  folderId: string
  chosen: string | undefined
  onChoose: (fileId: string) => void
}

function FileChoice({ folderId, chosen, onChoose }: FileChoiceProps) {
  const [search, setSearch] = useState("")
  const files = useMatchingFiles([folderId], useDebounced(search.trim()))
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1.5 text-sm font-medium">{t("automations:try.file")}</legend>
      <SearchField label={t("automations:try.find")} value={search} onChange={setSearch} />
      <div className="h-44 overflow-y-auto rounded-lg border border-line p-1">
        {files?.map(({ id, name }) => (
          <label
            key={id}
            title={name}
            className="flex h-8 items-center gap-2.5 rounded-md px-2 text-sm hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name="tried-file"
              checked={id === chosen}
              onChange={() => onChoose(id)}
              className="size-4 shrink-0 accent-solid focus-visible:outline-none"
            />
            <span className="min-w-0 truncate">{name}</span>
          </label>
        ))}
        {files?.length === 0 && <p className="p-2 text-sm text-soft">{t("automations:try.noneFound")}</p>}
      </div>
    </fieldset>
  )
}
