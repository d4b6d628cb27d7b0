import { t } from "i18next"
import { Ellipsis, MessageSquarePlus, PanelRight } from "lucide-react"
import type { ComponentProps } from "react"
import type { Assistant } from "../../../../shared/contract/assistants.ts"
import { shortcutName } from "../../../lib/keys/shortcut.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { Button, ButtonLink, IconButton } from "../../../ui/controls/Button.tsx"
import { PageHeader } from "../../../ui/PageParts.tsx"
import { AssistantAvatar } from "../../../ui/pictures/AssistantAvatar.tsx"
import { AssistantMenu } from "../AssistantMenu.tsx"

interface EditorHeaderProps {
  title: string
  appearance: ComponentProps<typeof AssistantAvatar>["assistant"]
  /** Undefined for a new assistant. */
  assistant: Assistant | undefined
  savedName: string
  /** The save state, in words. */
  saveStatus: string
  preview: boolean
  onPreview: () => void
  canSave: boolean
  saving: boolean
  onSave: () => void
  onDeleted: () => void
}

/** The editor's title, with actions for the assistant as a whole. */
export function EditorHeader({
  title,
  appearance,
  assistant,
  savedName,
  saveStatus,
  preview,
  onPreview,
  canSave,
  saving,
  onSave,
  onDeleted,
}: EditorHeaderProps) {
  return (
    <PageHeader title={title} icon={<AssistantAvatar assistant={appearance} size="small" />}>
      <span className="shrink-0 text-xs text-faint @max-2xl:hidden" aria-live="polite">
        {saveStatus}
      </span>
      <IconButton
        label={preview ? t("assistants:preview.close") : t("assistants:preview.open")}
        aria-pressed={preview}
        onClick={onPreview}
        className="aria-pressed:bg-selected @max-4xl:hidden"
      >
        <PanelRight aria-hidden />
      </IconButton>
      {assistant && (
        <>
          <ButtonLink href={routes.newChatWith(assistant.id)}>
            <MessageSquarePlus aria-hidden />
            <span className="@max-2xl:sr-only">{t("assistants:chat")}</span>
          </ButtonLink>
          <AssistantMenu
            assistant={assistant}
            canEdit={false}
            onDelete={onDeleted}
            trigger={
              <IconButton label={t("assistants:menu", { name: savedName })}>
                <Ellipsis aria-hidden />
              </IconButton>
            }
          />
        </>
      )}
      <Button
        variant="primary"
        title={shortcutName("save")}
        busy={saving}
        disabled={!canSave}
        onClick={onSave}
      >
        {assistant ? t("assistants:save") : t("assistants:create")}
      </Button>
    </PageHeader>
  )
}
