import { useLocation, useSearchParams } from "wouter"
import { useSession } from "../data/session.ts"
import { Entrance } from "../features/account/Entrance.tsx"
import { SignedOut } from "../features/account/SignedOut.tsx"
import { SignIn } from "../features/account/SignIn.tsx"
import { describeError } from "../lib/box.ts"
import { Button } from "../ui/Button.tsx"
import { Note } from "../ui/Note.tsx"
import { Shell } from "./Shell.tsx"

/** Lets people in: the app for who is signed in, otherwise how to sign in. */
export function Entry() {
  const [location] = useLocation()
  const [search] = useSearchParams()
  if (location === "/signin") return <SignIn token={search.get("token") ?? ""} />
  return <Door />
}

function Door() {
  const session = useSession()
  if (session.data) return <Shell />
  if (session.data === null) return <SignedOut />
  if (session.isError) {
    return (
      <Entrance title="Casella isn’t answering">
        <Note kind="error">{describeError(session.error)}</Note>
        <Button className="w-fit" busy={session.isFetching} onClick={() => void session.refetch()}>
          Try again
        </Button>
      </Entrance>
    )
  }
  return null
}
