import { t } from "i18next"
import { BellMinus, BellOff } from "lucide-react"
import { inAnHour, tomorrowMorning } from "../../lib/moments.ts"
import { quietUntil, useQuietMode } from "../../lib/quiet-mode.ts"
import { formatMoment } from "../../lib/words/format.ts"
import { classNames } from "../../ui/class-names.ts"
import { IconButton } from "../../ui/controls/Button.tsx"
import { Menu, MenuItem } from "../../ui/layers/Menu.tsx"

/** Do not disturb, for a while or permanently. */
export function QuietMenu() {
  const [quiet, setQuiet] = useQuietMode()
  return (
    <Menu
      trigger={
        <IconButton label={t("notifications:doNotDisturb")} className={classNames(quiet && "bg-selected")}>
          {quiet ? <BellOff aria-hidden /> : <BellMinus aria-hidden />}
        </IconButton>
      }
    >
      <MenuItem onSelect={() => setQuiet(inAnHour(new Date()))}>{t("areas:quiet.hour")}</MenuItem>
      <MenuItem onSelect={() => setQuiet(tomorrowMorning(new Date()))}>{t("areas:quiet.tomorrow")}</MenuItem>
      <MenuItem onSelect={() => setQuiet(true)}>{t("areas:quiet.always")}</MenuItem>
      {quiet && <MenuItem onSelect={() => setQuiet(false)}>{t("areas:quiet.off")}</MenuItem>}
    </Menu>
  )
}

/** Says that popups are off, and until when. */
export function QuietNote() {
  const [quiet] = useQuietMode()
  if (!quiet) return null
  const until = quietUntil()
  return (
    <p className="border-b border-line bg-well px-4 py-1.5 text-xs text-soft">
      {until
        ? t("areas:quiet.until", { moment: formatMoment(until.toISOString()) })
        : t("notifications:quietNow")}
    </p>
  )
}
