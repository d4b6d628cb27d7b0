import { t } from "i18next"
import { createAssistant, fetchAssistant } from "../../data/assistants.ts"
import { box } from "../../lib/box.ts"
import { showToast } from "../../lib/toasts.ts"
import { copyDraft } from "./editor/copy-draft.ts"

/**
 * Copies an assistant for the current user, and returns the copy's ID. Reports which parts of someone else's assistant couldn't be copied.
 */
export async function duplicateAssistant(id: string): Promise<string> {
  const [assistant, folders, tools, models] = await Promise.all([
    fetchAssistant(id),
    box.folders.list(),
    box.tools.list(),
    box.completions.models(),
  ])
  const draft = copyDraft(assistant, t("assistants:copyName", { name: assistant.name }), {
    folderIds: new Set(folders.vectors.map((folder) => folder.id)),
    tools: new Set(tools.tools.map(({ key }) => key)),
    models: new Set(models.data.map(({ id: modelId }) => modelId)),
  })
  const copy = await createAssistant(draft)
  const left = assistant.vectors.filter((folder) => !copy.vectorIds.includes(folder.id))
  if (left.length > 0) {
    showToast(t("assistants:copiedWithout"), "info", { detail: left.map(({ name }) => name).join(", ") })
  }
  return copy.id
}
