import { useMutation } from "@tanstack/react-query"
import { t } from "i18next"
import { FlaskConical, Pencil, Play, Trash2 } from "lucide-react"
import { useState } from "react"
import { useLocation } from "wouter"
import type { Automation } from "../../../shared/contract/automations.ts"
import { runAutomation, switchAutomations, removeAutomation } from "../../data/automations.ts"
import { navigate } from "../../lib/navigation/hash-location.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { workRoutes } from "../../lib/navigation/work-routes.ts"
import { showError, showToast } from "../../lib/toasts.ts"
import { Switch } from "../../ui/controls/Toggles.tsx"
import { ConfirmDialog } from "../../ui/layers/Dialog.tsx"
import { Menu, MenuItem, type MenuTrigger, RowMenu } from "../../ui/layers/Menu.tsx"
import { TryDialog } from "./TryDialog.tsx"

/** Runs an automation now, and shows where to follow the run. */
function runNow({ id, name }: Automation): void {
  runAutomation(id)
    .then(() =>
      showToast(t("automations:started"), "info", {
        detail: name,
        onOpen: () => navigate(workRoutes.one(id)),
      }),
    )
    .catch(showError)
}

/** Enables or disables an automation. */
export function EnabledSwitch({ automation: { id, name, enabled } }: { automation: Automation }) {
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (on: boolean) => switchAutomations([id], on),
    onError: showError,
  })
  return (
    <Switch
      aria-label={t("automations:enabled", { name })}
      title={t(enabled ? "automations:on" : "automations:off")}
      checked={isPending ? variables : enabled}
      onCheckedChange={(on) => mutate(on)}
    />
  )
}

interface DeleteDialogProps {
  automation: Automation
  open: boolean
  onClose: () => void
}

/** Asks before an automation is deleted, and then leaves its screen. */
export function DeleteDialog({ automation: { id, name }, open, onClose }: DeleteDialogProps) {
  const [location, navigate] = useLocation()
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      onConfirm={() => {
        if (location !== routes.work) navigate(routes.work)
        removeAutomation(id).catch(showError)
      }}
      title={t("automations:deleteTitle", { name })}
      description={t("automations:deleteText")}
      confirmLabel={t("automations:delete")}
    />
  )
}

/** Actions for an automation: run, try, edit and delete. */
function AutomationActions({ automation, trigger }: { automation: Automation; trigger: MenuTrigger }) {
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

/** The actions menu of an automation. */
export function AutomationMenu({ automation }: { automation: Automation }) {
  return (
    <RowMenu
      label={t("automations:actions", { name: automation.name })}
      renderMenu={(trigger) => <AutomationActions automation={automation} trigger={trigger} />}
    />
  )
}
