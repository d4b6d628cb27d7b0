import { t } from "i18next"
import { useHasLasted } from "../../../lib/has-lasted.ts"
import { navigate } from "../../../lib/navigation/hash-location.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { showToast } from "../../../lib/toasts.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { chatSession } from "../session/chat-sessions.ts"
import { longSeconds } from "../session/live-answer.ts"

interface LongReadingProps {
  chatId: string
  /** Whether the estimate was long. Otherwise the options appear after the same time. */
  isLong: boolean
  onPassages: () => void
  onStop: () => void
}

/** Options while reading takes long: continue in the background, read less, or stop. */
export function LongReading({ chatId, isLong, onPassages, onStop }: LongReadingProps) {
  const lasts = useHasLasted(longSeconds * 1000)
  function leave() {
    navigate(routes.newChat)
    // From here on, the box notifies the user when the answer is ready, even if this window is closed.
    chatSession(chatId).leave()
    showToast(t("reading:goesOn"))
  }
  if (!isLong && !lasts) return null
  return (
    <div className="-mt-1 flex flex-wrap gap-2">
      <Button onClick={leave}>{t("reading:background")}</Button>
      <Button variant="quiet" onClick={onPassages}>
        {t("reading:passagesInstead")}
      </Button>
      <Button variant="quiet" onClick={onStop}>
        {t("chat:stop")}
      </Button>
    </div>
  )
}
