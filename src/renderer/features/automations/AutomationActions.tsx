import { t } from "i18next"
import { FlaskConical, Pencil, Play, Trash2 } from "lucide-react"
import { useState } from "react"
import { useLocation } from "wouter"
import type { Automation } from "../../../shared/contract/automations.ts"
import { workRoutes } from "../../lib/navigation/work-routes.ts"
import { Menu, MenuItem, type MenuTrigger } from "../../ui/layers/Menu.tsx"
import { DeleteDialog } from "./DeleteDialog.tsx"
import { runNow } from "./run-now.ts"
import { TryDialog } from "./TryDialog.tsx"

/** Actions for an automation: run, try, edit and delete. */
export function AutomationActions({ automation, trigger }: { automation: Automation; trigger: MenuTrigger }) {
  const { id } = automation
  const [open, setOpen] = useState<"try" | "delete">()
  const [, navigate] = useLocation()
  const close = () => setOpen(undefined)
  return (
    <>
      <Menu defaultOpen trigger={trigger}>
        <MenuItem onSelect={() => runNow(automation)}>
          <Play aria-hidden /> {t("automations:runNow")}
        </MenuItem>
        {!automation.watch && (
          <MenuItem onSelect={() => setOpen("try")}>
            <FlaskConical aria-hidden /> {t("automations:try.open")}
          </MenuItem>
        )}
        <MenuItem onSelect={() => navigate(workRoutes.editor(id))}>
          <Pencil aria-hidden /> {t("automations:edit")}
        </MenuItem>
        <MenuItem danger onSelect={() => setOpen("delete")}>
          <Trash2 aria-hidden /> {t("automations:delete")}
        </MenuItem>
      </Menu>
      {open === "try" && <TryDialog automation={automation} onClose={close} />}
      <DeleteDialog automation={automation} open={open === "delete"} onClose={close} />
    </>
  )
}
