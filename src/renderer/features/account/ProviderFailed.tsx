import { t } from "i18next"
import { useEffect } from "react"
import type { ProviderProblem } from "../../../shared/contract/accounts.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { navigate } from "../../lib/navigation/hash-location.ts"
import { forgetSignedInByProvider } from "../../lib/browser/sign-in-storage.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Entrance } from "../../ui/PageParts.tsx"
import { Note } from "../../ui/Note.tsx"
import { ProviderButton } from "./ProviderButton.tsx"

const problems: Record<ProviderProblem, true> = {
  unreachable: true,
  local_only: true,
  not_begun: true,
  refused: true,
  no_email: true,
  email_taken: true,
  not_in_group: true,
  disabled: true,
  held: true,
  full: true,
}
const isProblem = (text: string): text is ProviderProblem => Object.hasOwn(problems, text)

/** Explains why sign-in through a provider failed. Anyone can write the address, so only known messages are shown. */
export function ProviderFailed({ problem }: { problem: string }) {
  useEffect(forgetSignedInByProvider, []) // other ways to sign in are shown, and no one is redirected back automatically
  return (
    <Entrance title={t("provider:failed")}>
      <Note kind="error">{t(`provider:problems.${isProblem(problem) ? problem : "refused"}`)}</Note>
      <div className="flex flex-wrap gap-2">
        <ProviderButton />
        <Button onClick={() => navigate(routes.newChat, { replace: true })}>{t("provider:back")}</Button>
      </div>
    </Entrance>
  )
}
