import { t } from "i18next"
import { Activity, Link2, ListChecks, RotateCcw, Settings2, Trash2, Unlink, Plug } from "lucide-react"
import { useState, type ReactNode } from "react"
import type { IntegrationSummary } from "../../../shared/contract/integrations.ts"
import { useCheck, useRemoveServer, useUnlink, useIntegrations } from "../../data/integrations.ts"
import { describeError } from "../../lib/box.ts"
import { showError, showToast } from "../../lib/toasts.ts"
import { toPageLanguage } from "../../lib/words/sentence.ts"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { classNames } from "../../ui/class-names.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { SettingsGroup } from "../../ui/controls/Sections.tsx"
import { ConfirmDialog } from "../../ui/layers/Dialog.tsx"
import { Menu, MenuItem, type MenuTrigger, RowMenu } from "../../ui/layers/Menu.tsx"
import { FunctionsDialog } from "./FunctionsDialog.tsx"
import { LinkDialog } from "./LinkDialog.tsx"
import { EditServerDialog } from "./server-form/ServerDialogs.tsx"

/** Describes an integration's state in one line. */
function describeState(integration: IntegrationSummary): string {
  const { state, problem, sentence, toolCount, changeCount } = integration
  if (state === "signed_out") return t("integrations:states.signedOut")
  if (state === "changed") return t("integrations:states.changed", { count: changeCount })
  if (problem !== null) return toPageLanguage(problem, sentence)
  if (state === "linked") return t("integrations:states.linked", { count: toolCount })
  if (state === "needs_address") return t("integrations:setup.address")
  return isSetUp(integration) ? describeTarget(integration) : t(`integrations:setup.${integration.setup}`)
}

/** Returns the step that the row's button opens. */
function nextStep(integration: IntegrationSummary): "setUp" | "link" | "review" | "functions" {
  const { state } = integration
  if (state === "changed") return "review"
  if (state === "linked") return "functions"
  return state === "signed_out" || isSetUp(integration) ? "link" : "setUp"
}

/** Whether it has everything it needs apart from a sign-in. */
function isSetUp({ setup, target, clientId, hasToken, environment }: IntegrationSummary): boolean {
  if (target === null) return false
  if (setup === "client") return clientId !== null
  if (setup === "token") return hasToken || clientId !== null
  return setup !== "environment" || environment.length > 0
}

const describeTarget = ({ target }: IntegrationSummary): string => {
  if (target === null) return ""
  return target.kind === "http" ? new URL(target.url).host : [target.command, ...target.args].join(" ")
}

type IntegrationView = "setUp" | "link" | "review" | "functions"

interface IntegrationActionsProps {
  integration: IntegrationSummary
  trigger: MenuTrigger
  onOpen: (view: IntegrationView) => void
}

/** Further actions for an integration. */
function IntegrationActions({ integration, trigger, onOpen }: IntegrationActionsProps) {
  const { key, name, group, linkedAt, target } = integration
  const [confirming, setConfirming] = useState(false)
  const check = useCheck()
  const unlink = useUnlink()
  const remove = useRemoveServer()
  const isOwn = group === "mcp"
  const checkNow = () =>
    check.mutate(key, {
      onError: showError,
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
          <MenuItem onSelect={() => unlink.mutate(key, { onError: showError })}>
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
        onConfirm={() => remove.mutate(key, { onError: showError })}
        title={t(isOwn ? "integrations:removeTitle" : "integrations:resetTitle", { name })}
        description={t("integrations:removeDescription")}
        confirmLabel={t(isOwn ? "integrations:remove" : "integrations:reset")}
      />
    </>
  )
}

/** One integration: its state, the next step and further actions. */
function IntegrationRow({ integration }: { integration: IntegrationSummary }) {
  const { key, name, state, problem, sentence } = integration
  const [view, setView] = useState<IntegrationView | null>(null)
  const close = () => setView(null)
  const step = nextStep(integration)
  const isFaulty = problem !== null || state === "signed_out" || state === "changed"
  return (
    <li className="flex items-center gap-3 px-3 py-2.5">
      <Plug
        className={classNames("size-4 shrink-0", state === "linked" ? "text-good" : "text-faint")}
        aria-hidden
      />
      <div className="min-w-0 flex-1">
        <p className="truncate text-sm" title={name}>
          {name}
        </p>
        <p
          className={classNames("line-clamp-2 text-xs break-words", isFaulty ? "text-warning" : "text-faint")}
          title={problem === null ? undefined : toPageLanguage(problem, sentence)}
        >
          {describeState(integration)}
        </p>
      </div>
      <Button
        aria-label={t(`integrations:steps.${step}Named`, { name })}
        variant={state === "linked" ? "quiet" : "secondary"}
        onClick={() => setView(step)}
      >
        {t(`integrations:steps.${step}`)}
      </Button>
      <RowMenu
        label={t("integrations:actionsOn", { name })}
        renderMenu={(trigger) => (
          <IntegrationActions integration={integration} trigger={trigger} onOpen={setView} />
        )}
      />
      {view === "link" && <LinkDialog integration={integration} onClose={close} />}
      {view === "setUp" && <EditServerDialog integration={integration} onClose={close} />}
      {(view === "functions" || view === "review") && (
        <FunctionsDialog integrationKey={key} onClose={close} />
      )}
    </li>
  )
}

interface IntegrationGroupProps {
  group: IntegrationSummary["group"]
  title: string
  description: string
  /** Shown if the list is empty. */
  none?: string
  children?: ReactNode
}

/** Connections of one kind to other programs' tools. */
export function IntegrationGroup({ group, title, description, none, children }: IntegrationGroupProps) {
  const { data: integrations, error } = useIntegrations()
  if (error) return <Note kind="error">{describeError(error)}</Note>
  if (!integrations) return <Spinner label={t("integrations:loading")} />
  const entries = integrations.filter((integration) => integration.group === group)
  return (
    <SettingsGroup title={title} description={description}>
      {entries.length === 0 && none !== undefined ? (
        <p className="rounded-lg border border-line p-4 text-sm text-soft">{none}</p>
      ) : (
        <ul aria-label={title} className="divide-y divide-line rounded-lg border border-line">
          {entries.map((integration) => (
            <IntegrationRow key={integration.key} integration={integration} />
          ))}
        </ul>
      )}
      {children}
    </SettingsGroup>
  )
}
