import { t } from "i18next"
import { Activity, Link2, ListChecks, RotateCcw, Settings2, Trash2, Unlink } from "lucide-react"
import { useState } from "react"
import type { IntegrationSummary } from "../../../shared/contract/integrations.ts"
import { useCheck, useRemoveServer, useUnlink } from "../../data/integrations.ts"
import { describeError } from "../../lib/box.ts"
import { toPageLanguage } from "../../lib/words/sentence.ts"
import { ConfirmDialog } from "../../ui/layers/Dialog.tsx"
import { Menu, MenuItem, type MenuTrigger } from "../../ui/layers/Menu.tsx"
import { showToast } from "../../lib/toasts.ts"

export type IntegrationView = "setUp" | "link" | "review" | "functions"

interface IntegrationActionsProps {
  integration: IntegrationSummary
  trigger: MenuTrigger
  onOpen: (view: IntegrationView) => void
}

const showFailure = (error: unknown) => showToast(describeError(error), "error")

/** Further actions for an integration. */
export function IntegrationActions({ integration, trigger, onOpen }: IntegrationActionsProps) {
  const { key, name, group, linkedAt, target } = integration
  const [confirming, setConfirming] = useState(false)
  const check = useCheck()
  const unlink = useUnlink()
  const remove = useRemoveServer()
  const isOwn = group === "mcp"
  const checkNow = () =>
    check.mutate(key, {
      onError: showFailure,
      onSuccess: ({ integration: { problem, sentence, state } }) => {
        const isWell = problem === null && state === "linked"
        showToast(
          isWell
            ? t("integrations:works", { name })
            : state === "changed"
              ? t("integrations:changedNow", { name })
              : problem === null
                ? t("integrations:states.signedOut")
                : toPageLanguage(problem, sentence),
          isWell ? "info" : "error",
        )
      },
    })
  return (
    <>
      <Menu defaultOpen trigger={trigger}>
        {linkedAt !== null && (
          <>
            <MenuItem onSelect={checkNow}>
              <Activity aria-hidden /> {t("integrations:check")}
            </MenuItem>
            <MenuItem onSelect={() => onOpen("functions")}>
              <ListChecks aria-hidden /> {t("integrations:steps.functions")}
            </MenuItem>
          </>
        )}
        {linkedAt === null && target !== null && (
          <MenuItem onSelect={() => onOpen("link")}>
            <Link2 aria-hidden /> {t("integrations:steps.link")}
          </MenuItem>
        )}
        <MenuItem onSelect={() => onOpen("setUp")}>
          <Settings2 aria-hidden /> {t("integrations:edit")}
        </MenuItem>
        {linkedAt !== null && (
          <MenuItem onSelect={() => unlink.mutate(key, { onError: showFailure })}>
            <Unlink aria-hidden /> {t("integrations:unlink")}
          </MenuItem>
        )}
        <MenuItem danger onSelect={() => setConfirming(true)}>
          {isOwn ? <Trash2 aria-hidden /> : <RotateCcw aria-hidden />}
          {t(isOwn ? "integrations:remove" : "integrations:reset")}
        </MenuItem>
      </Menu>
      <ConfirmDialog
        open={confirming}
        onClose={() => setConfirming(false)}
        onConfirm={() => remove.mutate(key, { onError: showFailure })}
        title={t(isOwn ? "integrations:removeTitle" : "integrations:resetTitle", { name })}
        description={t("integrations:removeDescription")}
        confirmLabel={t(isOwn ? "integrations:remove" : "integrations:reset")}
      />
    </>
  )
}
