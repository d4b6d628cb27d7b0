import { t } from "i18next"
import { useEffect, useState } from "react"
import { signInRoute } from "../../../shared/app-routes.ts"
import type { OtherSession } from "../../../shared/contract/accounts.ts"
import { AppError } from "../../../shared/contract/app-error.ts"
import { useSignIn } from "../../data/session.ts"
import { describeError } from "../../lib/box.ts"
import { forgetRouteBeforeProvider, getRouteBeforeProvider } from "../../lib/browser/provider-return.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { navigate } from "../../lib/navigation/hash-location.ts"
import { CommandLine } from "../../ui/text/CommandLine.tsx"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { Entrance } from "../../ui/PageParts.tsx"
import { ProviderFailed } from "./ProviderFailed.tsx"
import { SignInAsOther } from "./SignInAsOther.tsx"

interface TokenSignInProps {
  token: string
  next: string
  /** Whether the token comes from a provider, not from an owner. */
  byProvider: boolean
}

/** Handles sign-in links, and returns from a provider whether sign-in succeeded or failed. */
export function SignIn({ search }: { search: URLSearchParams }) {
  const problem = search.get("problem")
  if (problem !== null) return <ProviderFailed problem={problem} />
  return (
    <TokenSignIn
      token={search.get("token") ?? ""}
      next={search.get("next") ?? routes.newChat}
      byProvider={search.get("by") === "provider"}
    />
  )
}

/**
 * Exchanges the token from a sign-in link or a provider. The token is removed from the address immediately, so that it doesn't appear in
 * the history or in screenshots.
 */
function TokenSignIn({ token, next, byProvider }: TokenSignInProps) {
  const [oneTime] = useState(token)
  const [isProviders] = useState(byProvider)
  const [target] = useState(() => (byProvider ? getRouteBeforeProvider() : null) ?? next)
  const { mutate, error, isPending } = useSignIn(isProviders)

  useEffect(() => {
    navigate(signInRoute, { replace: true })
    forgetRouteBeforeProvider()
    mutate({ token: oneTime, replace: false }, { onSuccess: () => navigate(target, { replace: true }) })
  }, [oneTime, target, mutate])

  const replace = () => {
    mutate(
      { token: oneTime, replace: true },
      {
        onSuccess: () => {
          navigate(target, { replace: true })
          window.location.reload()
        },
      },
    )
  }

  const other =
    error instanceof AppError && error.code === "other_session" ? (error.details as OtherSession) : null
  if (other)
    return <SignInAsOther {...other} onReplace={replace} onStay={() => navigate(target, { replace: true })} />
  if (!error || isPending) {
    return (
      <Entrance title={t("account:signingIn")}>
        <Spinner label={t("account:signingIn")} />
      </Entrance>
    )
  }
  return (
    <Entrance title={t("account:linkFailed")}>
      <Note kind="error">{describeError(error)}</Note>
      <p>{t("account:linkFailedHint")}</p>
      <CommandLine command="npm run --silent box -- signin" />
      <p className="text-sm text-faint">{t("account:askOwner")}</p>
    </Entrance>
  )
}
