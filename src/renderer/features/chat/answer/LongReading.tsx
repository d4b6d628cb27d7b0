import { t } from "i18next"
import { useHasLasted } from "../../../lib/has-lasted.ts"
import { navigate } from "../../../lib/places/hash-location.ts"
import { routes } from "../../../lib/places/routes.ts"
import { showToast } from "../../../lib/toasts.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { chatSession } from "../session/chat-sessions.ts"
import { longSeconds } from "../session/live-answer.ts"

interface LongReadingProps {
  chatId: string
  /** It was told to take long; where it wasn't, it does after as long. */
  isLong: boolean
  onPassages: () => void
  onStop: () => void
}

/** What can be done while reading takes long: leave it to the box, take less, or end it. */
export function LongReading({ chatId, isLong, onPassages, onStop }: LongReadingProps) {
  const lasts = useHasLasted(longSeconds * 1000)
  function leave() {
    navigate(routes.newChat)
    // From here on the box tells of its end by itself, also once this window is closed.
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
