import { t } from "i18next"
import type { Category } from "../../../../shared/contract/notification-categories.ts"
import { useMuteCategories, useSettings } from "../../../data/settings.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { Note } from "../../../ui/Note.tsx"
import { showFailure } from "../open-notification.ts"

/** Says that a category is switched off, and how to switch it on. */
export function MutedNote({ category }: { category: Category }) {
  const { data: settings } = useSettings()
  const mute = useMuteCategories()
  if (settings?.mutedCategories.includes(category) !== true) return null
  const others = settings.mutedCategories.filter((other) => other !== category)
  return (
    <div className="p-3">
      <Note
        action={
          <Button
            variant="quiet"
            busy={mute.isPending}
            onClick={() => mute.mutate(others, { onError: showFailure })}
          >
            {t("areas:unmute")}
          </Button>
        }
      >
        {t("areas:muted")}
      </Note>
    </div>
  )
}
