import { t } from "i18next"
import { useState } from "react"
import { useStartDownload } from "../../data/models/models.ts"
import { useSettings } from "../../data/settings.ts"
import { getIssues } from "../../lib/words/field-issues.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { TextField } from "../../ui/controls/Field.tsx"
import { Note } from "../../ui/Note.tsx"
import { SettingsGroup } from "../../ui/controls/Sections.tsx"
import { LeaveQuestion } from "../../ui/layers/Dialog.tsx"
import { showToast } from "../../lib/toasts.ts"
import { readModelAddress } from "./model-address.ts"

const empty = { repo: "", file: "", revision: "main" }

/** Downloads any file from a repository. A pasted address fills the fields. */
export function AddressGroup() {
  const { data: settings } = useSettings()
  const [wanted, setWanted] = useState(empty)
  const start = useStartDownload()
  const issues = getIssues(start.error, ["repo", "file"])
  const read = readModelAddress(wanted.repo, settings?.modelMirror ?? "https://huggingface.co")

  function setRepo(repo: string) {
    const address = readModelAddress(repo, settings?.modelMirror ?? "https://huggingface.co")
    setWanted(
      address !== null && address !== "elsewhere" ? address : { ...wanted, repo, revision: empty.revision },
    )
  }

  function submit() {
    const body = { repo: wanted.repo.trim(), file: wanted.file.trim(), revision: wanted.revision }
    start.mutate(body, {
      onSuccess: ({ download }) => {
        setWanted(empty)
        showToast(t("models:address.begun", { name: download.name }))
      },
    })
  }

  return (
    <SettingsGroup title={t("models:address.title")} description={t("models:address.description")}>
      <form
        className="flex flex-col items-start gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <div className="grid w-full gap-3 sm:grid-cols-2">
          <TextField
            label={t("models:address.repo")}
            hint={t("models:address.repoHint")}
            value={wanted.repo}
            maxLength={1000}
            onChange={(event) => setRepo(event.target.value)}
            error={read === "elsewhere" ? t("models:address.elsewhere") : issues["repo"]}
          />
          <TextField
            label={t("models:address.file")}
            hint={t("models:address.fileHint")}
            value={wanted.file}
            maxLength={300}
            onChange={(event) => setWanted({ ...wanted, file: event.target.value })}
            error={issues["file"]}
          />
        </div>
        {issues["other"] !== undefined && <Note kind="error">{issues["other"]}</Note>}
        <Button
          type="submit"
          busy={start.isPending}
          disabled={wanted.repo.trim() === "" || wanted.file.trim() === "" || read === "elsewhere"}
        >
          {t("models:address.submit")}
        </Button>
        <LeaveQuestion unsaved={wanted.repo !== "" || wanted.file !== ""} />
      </form>
    </SettingsGroup>
  )
}
