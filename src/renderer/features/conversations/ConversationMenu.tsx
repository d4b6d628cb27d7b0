import { t } from "i18next"
import { Suspense } from "react"
import { later } from "../../lib/later.ts"
import { RowMenu } from "../../ui/layers/RowMenu.tsx"
import type { MenuChat } from "./ConversationActions.tsx"

const ConversationActions = later(async () => (await import("./ConversationActions.tsx")).ConversationActions)

/** What can be done with a chat. */
export function ConversationMenu({ chat, className }: { chat: MenuChat; className?: string }) {
  return (
    <RowMenu
      label={t("conversations:actions")}
      {...(className === undefined ? {} : { className })}
      renderMenu={(trigger) => (
        <Suspense fallback={trigger}>
          <ConversationActions chat={chat} trigger={trigger} />
        </Suspense>
      )}
    />
  )
}
