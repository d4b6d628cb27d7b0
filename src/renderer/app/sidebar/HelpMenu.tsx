import { t } from "i18next"
import { CircleHelp, Info, Keyboard, LifeBuoy } from "lucide-react"
import { useLocation } from "wouter"
import { routes } from "../../lib/navigation/routes.ts"
import { openReport } from "../../lib/report-dialog.ts"
import { IconButton } from "../../ui/controls/Button.tsx"
import { Menu, MenuItem } from "../../ui/layers/Menu.tsx"

/** Links to help. */
export function HelpMenu({ onOpenShortcuts }: { onOpenShortcuts: () => void }) {
  const [, navigate] = useLocation()
  return (
    <Menu
      trigger={
        <IconButton label={t("frame:help")}>
          <CircleHelp aria-hidden />
        </IconButton>
      }
    >
      <MenuItem onSelect={onOpenShortcuts}>
        <Keyboard aria-hidden /> {t("frame:shortcuts.title")}
      </MenuItem>
      <MenuItem onSelect={() => void openReport()}>
        <LifeBuoy aria-hidden /> {t("frame:reportProblem")}
      </MenuItem>
      <MenuItem onSelect={() => navigate(routes.about)}>
        <Info aria-hidden /> {t("frame:about")}
      </MenuItem>
    </Menu>
  )
}
