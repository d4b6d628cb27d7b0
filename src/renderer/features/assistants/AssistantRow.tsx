import { t } from "i18next"
import { MessageSquarePlus } from "lucide-react"
import { Link } from "wouter"
import type { AssistantEntry } from "../../../shared/contract/assistants.ts"
import { useEnableAssistant } from "../../data/assistants.ts"
import { describeError } from "../../lib/box.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { AssistantAvatar } from "../../ui/pictures/AssistantAvatar.tsx"
import { ButtonLink } from "../../ui/controls/Button.tsx"
import { classNames } from "../../ui/class-names.ts"
import { RowMenu } from "../../ui/layers/Menu.tsx"
import { Switch } from "../../ui/controls/Toggles.tsx"
import { showToast } from "../../lib/toasts.ts"
import { AssistantMenu } from "./AssistantMenu.tsx"

/** An assistant in the list, with its owner and actions. */
export function AssistantRow({ assistant }: { assistant: AssistantEntry }) {
  const { id, name, handle, description, enabled, owned } = assistant
  const enable = useEnableAssistant(id)
  return (
    <li className="flex items-center gap-2 rounded-lg px-3 transition-colors hover:bg-hover">
      <Link href={routes.assistant(id)} className="flex min-w-0 flex-1 items-center gap-3 rounded-md py-2">
        <span className={classNames(!enabled && "opacity-50 grayscale")}>
          <AssistantAvatar assistant={assistant} />
        </span>
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline gap-2">
            <span className="truncate font-medium" title={name}>
              {name}
            </span>
            <span className="shrink truncate text-xs text-faint" title={`@${handle}`}>
              @{handle}
            </span>
          </span>
          <span className="block truncate text-xs text-soft" title={description}>
            {[sharing(assistant), description].filter((text) => text !== "").join(" · ")}
          </span>
        </span>
      </Link>
      {enabled ? (
        <ButtonLink href={routes.newChatWith(id)}>
          <MessageSquarePlus aria-hidden />
          <span className="@max-2xl:sr-only">{t("assistants:chat")}</span>
          <span className="sr-only">{t("assistants:chatWith", { name })}</span>
        </ButtonLink>
      ) : (
        !owned && <span className="text-xs text-faint">{t("assistants:off")}</span>
      )}
      {owned && (
        <Switch
          aria-label={t("assistants:enabledNamed", { name })}
          checked={enabled}
          disabled={enable.isPending}
          onCheckedChange={(on) =>
            enable.mutate(on, { onError: (error) => showToast(describeError(error), "error") })
          }
        />
      )}
      <RowMenu
        label={t("assistants:menu", { name })}
        renderMenu={(trigger) => <AssistantMenu assistant={assistant} trigger={trigger} defaultOpen />}
      />
    </li>
  )
}

/** Describes who else may use it, or who shares it. */
function sharing({ owned, ownerName, visibility }: AssistantEntry): string {
  if (!owned) return t("assistants:sharedBy", { name: ownerName })
  return visibility === "PRIVATE" ? "" : t(`assistants:sharing.${visibility}`)
}
