import { t } from "i18next"
import type { ReactNode } from "react"
import { shellBridge } from "../../lib/browser/shell-bridge.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { CommandLine } from "../../ui/text/CommandLine.tsx"
import { ProviderButton } from "./ProviderButton.tsx"
import { Entrance } from "../../ui/PageParts.tsx"

/** Shown without a session: why the user is signed out, and how to sign in. */
export function SignedOut({ children }: { children?: ReactNode }) {
  const shell = shellBridge()
  if (shell) {
    return (
      <Entrance title={t("account:signInTitle")}>
        {children}
        <Button variant="primary" className="w-fit" onClick={() => void shell.signInAgain()}>
          {t("desktop:signIn")}
        </Button>
      </Entrance>
    )
  }
  return (
    <Entrance title={t("account:signInTitle")}>
      {children}
      <ProviderButton isAutomatic />
      <p>{t("account:openAgain")}</p>
      <CommandLine command="npm start" />
      <p>{t("account:freshLink")}</p>
      <CommandLine command="npm run --silent box -- signin" />
      <p className="text-sm text-faint">
        {t("account:linkLimits")} {t("account:askOwner")}
      </p>
    </Entrance>
  )
}
