import { t } from "i18next"
import { Suspense, useState } from "react"
import { useLocation, useSearchParams } from "wouter"
import { useSession } from "../data/session.ts"
import { Entrance } from "../ui/PageParts.tsx"
import { describeError } from "../lib/box.ts"
import { finishLinkRoute, signInRoute } from "../../shared/app-routes.ts"
import { later } from "../lib/later.ts"
import { routes } from "../lib/navigation/routes.ts"
import { Button } from "../ui/controls/Button.tsx"
import { Note } from "../ui/Note.tsx"
import { Shell } from "./Shell.tsx"

const QuickAsk = later(async () => (await import("../features/chat/quick-ask/QuickAsk.tsx")).QuickAsk)

const SignedOut = later(async () => (await import("../features/account/SignedOut.tsx")).SignedOut)
const SignIn = later(async () => (await import("../features/account/SignIn.tsx")).SignIn)
const FinishLink = later(async () => (await import("../features/integrations/FinishLink.tsx")).FinishLink)

/** Shows the app to signed-in users, and the sign-in page to others. */
export function Entry() {
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
