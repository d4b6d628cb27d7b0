import { t } from "i18next"
import { later } from "../../lib/later.ts"
import { RowMenu } from "../../ui/layers/Menu.tsx"
import type { MenuChat } from "./ConversationActions.tsx"

const ConversationActions = later(async () => (await import("./ConversationActions.tsx")).ConversationActions)

interface ConversationMenuProps {
  chat: MenuChat
  /** Whether it is one of several menus, which need distinct labels. */
  listed?: boolean
  className?: string
}

/** The menu of actions for a chat. */
export function ConversationMenu({ chat, listed = false, className }: ConversationMenuProps) {
  return (
    <RowMenu
      label={listed ? t("conversations:actionsOn", { title: chat.title }) : t("conversations:actions")}
      {...(className === undefined ? {} : { className })}
      renderMenu={(trigger) => <ConversationActions chat={chat} trigger={trigger} />}
    />
  )
}
