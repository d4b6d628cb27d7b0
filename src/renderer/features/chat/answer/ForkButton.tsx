import { t } from "i18next"
import { GitBranchPlus } from "lucide-react"
import { useState } from "react"
import { forkConversation } from "../../../data/chats/conversations.ts"
import { describeError } from "../../../lib/box.ts"
import { navigateIfIdle } from "../../../lib/navigation/hash-location.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { showToast } from "../../../lib/toasts.ts"
import { IconButton } from "../../../ui/controls/Button.tsx"

interface ForkButtonProps {
  chatId: string
  /** The answer from which the new chat continues. */
  messageId: string
}

/** Creates a new chat with all messages up to here. */
export function ForkButton({ chatId, messageId }: ForkButtonProps) {
  const [forking, setForking] = useState(false)
  async function fork() {
    setForking(true)
    const open = navigateIfIdle()
    try {
      const { id, title } = await forkConversation(chatId, messageId)
      open(routes.chat(id))
      showToast(t("longChats:forked", { title }))
    } catch (error) {
      showToast(describeError(error), "error")
    } finally {
      setForking(false)
    }
  }
  return (
    <IconButton label={t("longChats:fork")} disabled={forking} onClick={() => void fork()}>
      <GitBranchPlus aria-hidden />
    </IconButton>
  )
}
