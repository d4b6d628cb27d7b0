import { useQuery } from "@tanstack/react-query"
import { t } from "i18next"
import { useEffect, useState, type ReactNode } from "react"
import { signInRoute } from "../../../shared/app-routes.ts"
import type { OtherSession, User, ProviderProblem } from "../../../shared/contract/accounts.ts"
import { AppError } from "../../../shared/contract/app-error.ts"
import { useSignIn } from "../../data/session.ts"
import { box, describeError } from "../../lib/box.ts"
import { shellBridge } from "../../lib/browser/shell-bridge.ts"
import { isSignedInByProvider, forgetSignedInByProvider } from "../../lib/browser/sign-in-storage.ts"
import { navigate } from "../../lib/navigation/hash-location.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { Note } from "../../ui/Note.tsx"
import { Entrance } from "../../ui/PageParts.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { CommandLine } from "../../ui/text/CommandLine.tsx"

/** This tab's route before it left for the provider. */
const routeKey = "place-before-provider"
const askedKey = "asked-provider-at"
/** Minimum time between automatic redirects to the provider, so that a failed sign-in doesn't loop. */
const retryDelayMs = 60_000

/** Whether to redirect to the provider without asking. */
function shouldGoToProvider(): boolean {
  if (!isSignedInByProvider()) return false
  // The clock may have been set back in the meantime.
  return Math.abs(Date.now() - Number(sessionStorage.getItem(askedKey) ?? 0)) > retryDelayMs
}

/** Redirects to the provider automatically, after `shouldGoToProvider` has returned true. */
function goToProvider(): void {
  sessionStorage.setItem(askedKey, String(Date.now()))
  leaveForProvider()
}

/** Redirects to the provider. The user returns to the current route. */
function leaveForProvider(): void {
  sessionStorage.setItem(routeKey, window.location.hash.slice(1))
  window.location.assign("/api/public/sign-in/provider")
}

/** The route that this tab left for the provider; null if there is none. */
function getRouteBeforeProvider(): string | null {
  const route = sessionStorage.getItem(routeKey)
  return route?.startsWith("/") === true && !route.startsWith("/signin") ? route : null
}

const forgetRouteBeforeProvider = (): void => sessionStorage.removeItem(routeKey)

/**
 * Signs in through the provider, if one is configured. With `isAutomatic`, users who signed in this way before are redirected automatically
 * when their session has ended.
 */
function ProviderButton({ isAutomatic = false }: { isAutomatic?: boolean }) {
  const { data } = useQuery({
    queryKey: ["ways-to-sign-in"],
    queryFn: () => box.providerSignIn.ways(),
    staleTime: Infinity,
  })
  const provider = data?.provider
  const goes = isAutomatic && provider !== undefined && provider !== null && shouldGoToProvider()
  useEffect(() => {
    if (goes) goToProvider()
  }, [goes])
  if (!provider) return null
  return (
    <Button variant="primary" className="w-fit max-w-full" busy={goes} onClick={leaveForProvider}>
      <span className="truncate">{t("provider:with", { provider: provider.name })}</span>
    </Button>
  )
}

interface SignInAsOtherProps extends OtherSession {
  onReplace: () => void
  onStay: () => void
}

/**
 * Asks before a link replaces the current user. A link sent by someone else may sign in to that person's account, and anything written
 * there would then belong to that person.
 */
function SignInAsOther({ current, next, onReplace, onStay }: SignInAsOtherProps) {
  return (
    <Entrance title={t("account:other.title", { name: next.name })}>
      <p className="break-words">{t("account:other.next", { person: describePerson(next) })}</p>
      <p className="break-words">{t("account:other.current", { person: describePerson(current) })}</p>
      <div className="mt-1 flex flex-wrap gap-2">
        <Button variant="primary" onClick={onStay}>
          {t("account:other.stay", { name: current.name })}
        </Button>
        <Button onClick={onReplace}>{t("account:other.replace", { name: next.name })}</Button>
      </div>
    </Entrance>
  )
}

const describePerson = ({ name, email }: User) => t("account:other.person", { name, email })

const providerProblems: Record<ProviderProblem, true> = {
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
const isProblem = (text: string): text is ProviderProblem => Object.hasOwn(providerProblems, text)

/** Explains why sign-in through a provider failed. Anyone can write the address, so only known messages are shown. */
function ProviderFailed({ problem }: { problem: string }) {
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
