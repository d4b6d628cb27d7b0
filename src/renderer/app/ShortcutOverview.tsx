import { t } from "i18next"
import { shortcutKeys, shortcuts, type ShortcutGroup, type ShortcutId } from "../lib/keys/shortcut.ts"
import { Dialog } from "../ui/layers/Dialog.tsx"

/** Keys to press together. */
export function Keys({ keys }: { keys: string[] }) {
  return (
    <span className="inline-flex gap-1">
      {keys.map((key) => (
        <kbd
          key={key}
          className="inline-flex h-5 min-w-5 items-center justify-center rounded border border-line bg-well px-1 font-sans text-xs text-soft"
        >
          {key}
        </kbd>
      ))}
    </span>
  )
}

const groups: ShortcutGroup[] = ["everywhere", "writing", "lists"]
const ids = Object.keys(shortcuts) as ShortcutId[]

/** Lists all shortcuts. */
export function ShortcutOverview({ onClose }: { onClose: () => void }) {
  return (
    <Dialog open onClose={onClose} title={t("frame:shortcuts.title")}>
      {groups.map((group) => (
        <section key={group} className="mb-4 last:mb-0">
          <h3 className="mb-1 text-xs font-medium text-faint">{t(`frame:shortcuts.groups.${group}`)}</h3>
          <dl>
            {ids
              .filter((id) => shortcuts[id].group === group)
              .map((id) => (
                <div key={id} className="flex min-h-8 items-center justify-between gap-4 py-1 text-sm">
                  <dt>{t(`frame:shortcuts.${id}`)}</dt>
                  <dd>
                    <Keys keys={shortcutKeys(id)} />
                  </dd>
                </div>
              ))}
          </dl>
        </section>
      ))}
    </Dialog>
  )
}
