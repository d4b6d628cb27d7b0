import type { Assistant, AssistantDraft } from "../../../../shared/contract/assistants.ts"
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
