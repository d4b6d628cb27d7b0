import { QueryClientProvider } from "@tanstack/react-query"
import { t } from "i18next"
import { Component, type ReactNode, Suspense, useState } from "react"
import { useTranslation } from "react-i18next"
import { useLocation, useSearchParams, Router, useRouter } from "wouter"
import { finishLinkRoute, signInRoute } from "../../shared/app-routes.ts"
import { queryClient } from "../data/query-client.ts"
import { useSession } from "../data/session.ts"
import { describeError } from "../lib/box.ts"
import { uiLog } from "../lib/browser/ui-log.ts"
import { later } from "../lib/later.ts"
import { decodingParameters, useHashLocation, useHashSearch } from "../lib/navigation/hash-location.ts"
import { routes } from "../lib/navigation/routes.ts"
import { Note } from "../ui/Note.tsx"
import { Entrance } from "../ui/PageParts.tsx"
import { Button } from "../ui/controls/Button.tsx"
import { Toaster } from "../ui/layers/Toaster.tsx"
import { TooltipLayer } from "../ui/layers/Tooltip.tsx"
import { Shell } from "./Shell.tsx"

/** Replaces a page that failed to render. */
class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override componentDidCatch(error: unknown) {
    uiLog.error(error)
  }

  override render() {
    if (!this.state.failed) return this.props.children
    return (
      <Entrance title={t("frame:failed.title")}>
        <p>{t("frame:failed.nothingLost")}</p>
        <div className="flex gap-2">
          <Button onClick={() => window.location.reload()}>{t("frame:failed.reload")}</Button>
          <Button onClick={reportAfterReload}>{t("frame:reportProblem")}</Button>
        </div>
      </Entrance>
    )
  }
}

/** The failed page can't show the report dialog, so the page reloads with it. The log contains the error. */
function reportAfterReload(): void {
  window.location.hash = routes.newReport
  window.location.reload()
}

const QuickAsk = later(async () => (await import("../features/chat/quick-ask/QuickAsk.tsx")).QuickAsk)

const SignedOut = later(async () => (await import("../features/account/SignIn.tsx")).SignedOut)
const SignIn = later(async () => (await import("../features/account/SignIn.tsx")).SignIn)
const FinishLink = later(async () => (await import("../features/integrations/FinishLink.tsx")).FinishLink)

/** Shows the app to signed-in users, and the sign-in page to others. */
function Entry() {
  const [location] = useLocation()
  const [search] = useSearchParams()
  if (location === signInRoute)
    return (
      <Suspense>
        <SignIn search={search} />
      </Suspense>
    )
  if (location === finishLinkRoute) {
    return (
      <Suspense>
        <FinishLink search={search} />
      </Suspense>
    )
  }
  return <SessionGate quickAsk={location === routes.quickAsk} />
}

function SessionGate({ quickAsk }: { quickAsk: boolean }) {
  const session = useSession()
  const [wasSignedIn, setWasSignedIn] = useState(false)
  if (session.data && !wasSignedIn) setWasSignedIn(true)
  if (session.data && quickAsk) {
    return (
      <Suspense>
        <QuickAsk />
      </Suspense>
    )
  }
  if (session.data) return <Shell />
  if (session.data === null)
    return (
      <Suspense>
        <SignedOut>{wasSignedIn && <Note kind="warning">{t("frame:sessionEnded")}</Note>}</SignedOut>
      </Suspense>
    )
  if (session.isError) {
    return (
      <Entrance title={t("frame:unreachable.title")}>
        <Note kind="error">{describeError(session.error)}</Note>
        <p>{t("frame:unreachable.waiting")}</p>
        <Button className="w-fit" busy={session.isFetching} onClick={() => void session.refetch()}>
          {t("common:tryAgain")}
        </Button>
      </Entrance>
    )
  }
  return null
}

export function App() {
  const { i18n } = useTranslation()
  const { parser } = useRouter()
  const [decodingParser] = useState(() => decodingParameters(parser))
  return (
    <ErrorBoundary>
      <QueryClientProvider client={queryClient}>
        {/* oxlint-disable-next-line react/hooks -- wouter takes its hooks as values */}
        <Router hook={useHashLocation} searchHook={useHashSearch} parser={decodingParser}>
          {/* Redraw everything when the language changes, because formats and names are read in many places. */}
          <Entry key={i18n.language} />
          <Toaster />
          <TooltipLayer />
        </Router>
      </QueryClientProvider>
    </ErrorBoundary>
  )
}
