import { t } from "i18next"
import { Copy, FileDown, Pencil, Pin, PinOff, Trash2 } from "lucide-react"
import type { AssistantEntry } from "../../../shared/contract/assistants.ts"
import { forgetAssistant, fetchAssistant } from "../../data/assistants.ts"
import { usePin } from "../../data/settings.ts"
import { createUndoable } from "../../data/undoable.ts"
import { box, describeError } from "../../lib/box.ts"
import { saveFile } from "../../lib/browser/save-file.ts"
import { navigate, navigateIfIdle } from "../../lib/navigation/hash-location.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { showToast } from "../../lib/toasts.ts"
import { Menu, MenuItem, type MenuTrigger } from "../../ui/layers/Menu.tsx"
import { writeAssistantFile } from "./assistant-file.ts"
import { duplicateAssistant } from "./editor/duplicate-assistant.ts"

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
  const showFailure = (error: unknown) => showToast(describeError(error), "error")
  const duplicate = () => {
    const open = navigateIfIdle()
    return duplicateAssistant(id).then((copyId) => open(routes.assistant(copyId)), showFailure)
  }
  const save = () =>
    fetchAssistant(id).then(
      (whole) => saveFile(`${whole.handle}.json`, writeAssistantFile(whole), "application/json"),
      showFailure,
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
