import { t } from "i18next"
import { later } from "../../lib/later.ts"
import { RowMenu } from "../../ui/layers/RowMenu.tsx"
import type { MenuChat } from "./ConversationActions.tsx"

const ConversationActions = later(async () => (await import("./ConversationActions.tsx")).ConversationActions)

interface ConversationMenuProps {
  chat: MenuChat
  /** It is one of several, which have to be told apart. */
  listed?: boolean
  className?: string
}

/** What can be done with a chat. */
export function ConversationMenu({ chat, listed = false, className }: ConversationMenuProps) {
  return (
    <RowMenu
      label={listed ? t("conversations:actionsOn", { title: chat.title }) : t("conversations:actions")}
      {...(className === undefined ? {} : { className })}
      renderMenu={(trigger) => <ConversationActions chat={chat} trigger={trigger} />}
    />
  )
}
