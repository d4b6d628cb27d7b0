import { t } from "i18next"
import type { ServerTarget } from "../../../shared/contract/integrations.ts"
import { Note } from "../../ui/Note.tsx"

interface CommandConsentProps {
  target: Extract<ServerTarget, { kind: "command" }>
  /** Names of the program's environment variables. */
  environment: string[]
}

/** Shows exactly what will run. Each argument is on its own line, so that none can hide inside another. */
export function CommandConsent({ target, environment }: CommandConsentProps) {
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
