import { t } from "i18next"
import { useAssistants } from "../../data/assistants.ts"
import { useFolders } from "../../data/folders/folders.ts"
import { getTrigger, type AutomationForm } from "./automation-form.ts"
import { triggerWords } from "../../lib/words/schedule-words.ts"

/** Describes the automation being edited in words. A folder that isn't selected yet is left out. */
export function InWords({ form }: { form: AutomationForm }) {
  const { data: folders } = useFolders()
  const { data: assistants } = useAssistants()
  if (form.kind === "file" && form.folderId === "") return null
  const when = triggerWords(getTrigger(form), (id) => folders?.find((folder) => folder.id === id)?.name)
  const handle = assistants?.find(({ id }) => id === form.assistantId)?.handle
  const who = handle === undefined ? t("automations:inWords.model") : `@${handle}`
  const watches = form.watch && form.kind === "file"
  const what = watches
    ? t("automations:inWords.watch", { when })
    : t("automations:inWords.ask", { when, who })
  return <p>{`${what} ${t(`automations:inWords.${watches ? "watched" : form.notify}`)}`}</p>
}
