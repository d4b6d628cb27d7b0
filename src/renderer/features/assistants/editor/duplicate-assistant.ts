import { t } from "i18next"
import type { Assistant, AssistantDraft } from "../../../../shared/contract/assistants.ts"
import { createAssistant, fetchAssistant } from "../../../data/assistants.ts"
import { box } from "../../../lib/box.ts"
import { showToast } from "../../../lib/toasts.ts"
import { limits } from "./form.ts"

interface Own {
  folderIds: ReadonlySet<string>
  tools: ReadonlySet<string>
  models: ReadonlySet<string>
}

/**
 * Copies an assistant for the current user under another name. Folders and tools that the user doesn't have, and a model that no longer
 * exists, are left out. The bypass mode of someone else's assistant becomes auto.
 */
export function copyDraft(assistant: Assistant, name: string, own: Own): AssistantDraft {
  const { description, instructions, icon, color, customImage, suggestions, enabled } = assistant
  const bypassed = assistant.permissionMode === "bypass" && !assistant.owned
  const { modelId } = assistant
  return {
    name: name.slice(0, limits.name),
    description,
    instructions,
    icon,
    color,
    customImage,
    suggestions,
    enabled,
    modelId: modelId !== null && own.models.has(modelId) ? modelId : null,
    permissionMode: bypassed ? "auto" : assistant.permissionMode,
    vectorIds: assistant.vectorIds.filter((id) => own.folderIds.has(id)),
    builtInTools: Object.fromEntries(
      Object.entries(assistant.builtInTools).filter(([key]) => own.tools.has(key)),
    ),
  }
}

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
