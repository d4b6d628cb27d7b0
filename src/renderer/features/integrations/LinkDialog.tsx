import { t } from "i18next"
import { ExternalLink } from "lucide-react"
import { useEffect } from "react"
import type { ServerTarget, IntegrationSummary } from "../../../shared/contract/integrations.ts"
import {
  refreshIntegrations,
  useAnsweredSignIn,
  useFinishLink,
  useIntegration,
  useLink,
} from "../../data/integrations.ts"
import { describeError } from "../../lib/box.ts"
import { showToast } from "../../lib/toasts.ts"
import { toPageLanguage } from "../../lib/words/sentence.ts"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { Button, buttonClasses } from "../../ui/controls/Button.tsx"
import { Dialog, DialogActions } from "../../ui/layers/Dialog.tsx"
import { ForeignLink } from "../../ui/text/ForeignLink.tsx"

interface CommandConsentProps {
  target: Extract<ServerTarget, { kind: "command" }>
  /** Names of the program's environment variables. */
  environment: string[]
}

/** Shows exactly what will run. Each argument is on its own line, so that none can hide inside another. */
function CommandConsent({ target, environment }: CommandConsentProps) {
  const { command, args } = target
  return (
    <div className="flex flex-col gap-3 text-sm">
      <Note kind="warning">{t("integrations:consent.warning")}</Note>
      <div>
        <h3 id="consent-command" className="mb-1.5 font-medium">
          {t("integrations:consent.command")}
        </h3>
        <ol
          aria-labelledby="consent-command"
          className="max-h-60 overflow-y-auto rounded-lg border border-line bg-well px-3 py-2 font-mono text-xs"
        >
          {[command, ...args].map((part, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- a command's parts are known by their place
            <li key={index} className="py-0.5 break-all whitespace-pre-wrap">
              {part === "" ? '""' : part}
            </li>
          ))}
        </ol>
      </div>
      <p className="text-xs text-faint">
        {environment.length === 0
          ? t("integrations:consent.noEnvironment")
          : t("integrations:consent.environment", { names: environment.join(", ") })}
      </p>
    </div>
  )
}

interface LinkDialogProps {
  integration: IntegrationSummary
  onClose: () => void
}

/** Connects an integration: by consent to run a program, or by signing in on the provider's page. */
export function LinkDialog({ integration, onClose }: LinkDialogProps) {
  const { key, name, target, consent, environment } = integration
  const link = useLink(key)
  const address = link.data?.authorizationUrl ?? null
  const done = () => {
    showToast(t("integrations:linked", { name }))
    onClose()
  }
  const again = () =>
    link.mutate(consent, { onSuccess: ({ authorizationUrl }) => authorizationUrl ?? done() })
  const isProgram = target?.kind === "command"
  return (
    <Dialog open onClose={onClose} title={t("integrations:link.title", { name })}>
      {address !== null ? (
        <SignIn integrationKey={key} address={address} onLinked={done} onRetry={again} />
      ) : isProgram ? (
        <CommandConsent target={target} environment={environment} />
      ) : (
        <p className="text-sm text-soft">
          {t("integrations:link.description", { host: target ? new URL(target.url).host : name })}
        </p>
      )}
      {link.error && (
        <div className="mt-3">
          <Note kind="error">{describeError(link.error)}</Note>
        </div>
      )}
      <DialogActions>
        <Button data-focus-first onClick={onClose}>
          {t("common:cancel")}
        </Button>
        {address === null && (
          <Button variant="primary" busy={link.isPending} onClick={again}>
            {t(isProgram ? "integrations:link.start" : "integrations:link.connect")}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}

interface SignInProps {
  integrationKey: string
  address: string
  onLinked: () => void
  /** Starts a new sign-in, because each can be used only once. */
  onRetry: () => void
}

/** Links to the provider's page until the user has returned from it. */
function SignIn({ integrationKey, address, onLinked, onRetry }: SignInProps) {
  const { data } = useIntegration(integrationKey, { polled: true })
  const state = new URL(address).searchParams.get("state") ?? ""
  const { data: signIn } = useAnsweredSignIn(state)
  const finish = useFinishLink(integrationKey)
  const isLinked = data?.state === "linked" || data?.state === "changed"
  useEffect(() => {
    if (!isLinked) return
    void refreshIntegrations()
    onLinked()
    // oxlint-disable-next-line react/exhaustive-deps -- once, when it is linked
  }, [isLinked])
  if (data !== undefined && data.problem !== null)
    return (
      <Note kind="error" action={<Button onClick={onRetry}>{t("common:tryAgain")}</Button>}>
        {toPageLanguage(data.problem, data.sentence)}
      </Note>
    )
  if (signIn?.answered === true) {
    const { integration, person } = signIn
    return (
      <div className="flex flex-col items-start gap-4 text-sm">
        <p className="break-words">{t("integrations:finish.ask", { integration, person })}</p>
        <Button
          variant="primary"
          data-focus-first
          busy={finish.isPending}
          onClick={() => finish.mutate(state)}
        >
          {t("integrations:finish.link", { person })}
        </Button>
      </div>
    )
  }
  return (
    <div className="flex flex-col items-start gap-4 text-sm">
      <p className="text-soft">{t("integrations:link.signIn", { host: new URL(address).host })}</p>
      <ForeignLink address={address} focusedFirst className={buttonClasses("primary")}>
        <ExternalLink aria-hidden /> {t("integrations:link.open")}
      </ForeignLink>
      <Spinner label={t("integrations:link.waiting")} />
    </div>
  )
}
