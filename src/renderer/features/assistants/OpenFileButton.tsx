import { t } from "i18next"
import { FileUp } from "lucide-react"
import { createAssistant } from "../../data/assistants.ts"
import { describeError } from "../../lib/box.ts"
import { navigateIfIdle } from "../../lib/navigation/hash-location.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { IconButton } from "../../ui/controls/Button.tsx"
import { showToast } from "../../lib/toasts.ts"
import { useFileInput } from "../../ui/controls/FileInput.tsx"
import { readAssistantFile } from "./assistant-file.ts"

/** Creates an assistant from a file, and shows the result. */
export function OpenFileButton() {
  const chooser = useFileInput({
    label: t("assistants:file.choose"),
    accept: ".json,application/json",
    onFiles: ([file]) => {
      if (file) add(file).catch((error: unknown) => showToast(describeError(error), "error"))
    },
  })
  return (
    <>
      <IconButton label={t("assistants:file.open")} onClick={chooser.open}>
        <FileUp aria-hidden />
      </IconButton>
      {chooser.input}
    </>
  )
}

async function add(file: File): Promise<void> {
  const open = navigateIfIdle()
  const draft = readAssistantFile(await file.text())
  if (!draft) return showToast(t("assistants:file.unreadable"), "error")
  const { id } = await createAssistant(draft)
  open(routes.assistant(id))
  showToast(t("assistants:file.opened", { name: draft.name }))
}
