import { t } from "i18next"
import { Copy, FileDown, Pencil, Pin, PinOff, Trash2 } from "lucide-react"
import type { Assistant, AssistantDraft, AssistantEntry } from "../../../shared/contract/assistants.ts"
import { createAssistant, fetchAssistant, forgetAssistant } from "../../data/assistants.ts"
import { usePin } from "../../data/settings.ts"
import { createUndoable } from "../../data/undoable.ts"
import { box } from "../../lib/box.ts"
import { saveFile } from "../../lib/browser/download.ts"
import { navigate, navigateIfIdle } from "../../lib/navigation/hash-location.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { showError, showToast } from "../../lib/toasts.ts"
import { Menu, MenuItem, type MenuTrigger } from "../../ui/layers/Menu.tsx"
import { writeAssistantFile } from "./assistant-file.ts"
import { limits } from "./editor/form.ts"

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
async function duplicateAssistant(id: string): Promise<string> {
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

export const assistantDeletions = createUndoable<{ id: string; name: string }>({
  key: "deleted-assistants",
  describe: (assistants) => ({
    text: t("assistants:deleted", { count: assistants.length }),
    detail: assistants.at(-1)?.name ?? "",
  }),
  remove: ({ id }) => box.assistants.remove({ params: { id } }),
  refresh: (assistants) => Promise.all(assistants.map(({ id }) => forgetAssistant(id))),
})

interface AssistantMenuProps {
  assistant: Pick<AssistantEntry, "id" | "name" | "owned">
  trigger: MenuTrigger
  defaultOpen?: boolean
  /** Called before the assistant is deleted. */
  onDelete?: () => void
  /** False in the editor itself. */
  canEdit?: boolean
}

/** Actions for an assistant other than chatting. */
export function AssistantMenu({
  assistant,
  trigger,
  defaultOpen = false,
  onDelete,
  canEdit = true,
}: AssistantMenuProps) {
  const { id, name, owned } = assistant
  const [pinned, togglePin] = usePin({ kind: "assistant", id })
  const duplicate = () => {
    const open = navigateIfIdle()
    return duplicateAssistant(id).then((copyId) => open(routes.assistant(copyId)), showError)
  }
  const save = () =>
    fetchAssistant(id).then(
      (whole) => saveFile(`${whole.handle}.json`, writeAssistantFile(whole), "application/json"),
      showError,
    )
  return (
    <Menu trigger={trigger} defaultOpen={defaultOpen}>
      {owned && canEdit && (
        <MenuItem onSelect={() => navigate(routes.assistant(id))}>
          <Pencil aria-hidden /> {t("assistants:edit")}
        </MenuItem>
      )}
      <MenuItem onSelect={togglePin}>
        {pinned ? <PinOff aria-hidden /> : <Pin aria-hidden />}
        {pinned ? t("conversations:unpin") : t("conversations:pin")}
      </MenuItem>
      <MenuItem onSelect={() => void duplicate()}>
        <Copy aria-hidden /> {t("assistants:duplicate")}
      </MenuItem>
      <MenuItem onSelect={() => void save()}>
        <FileDown aria-hidden /> {t("assistants:file.save")}
      </MenuItem>
      {owned && (
        <MenuItem
          danger
          onSelect={() => {
            onDelete?.()
            void assistantDeletions.remove({ id, name })
          }}
        >
          <Trash2 aria-hidden /> {t("assistants:delete")}
        </MenuItem>
      )}
    </Menu>
  )
}
