import { useEffect, useState } from "react"
import { useSignIn } from "../../data/session.ts"
import { describeError } from "../../lib/box.ts"
import { navigate } from "../../lib/hash-location.ts"
import { CommandLine } from "../../ui/CommandLine.tsx"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { Entrance } from "./Entrance.tsx"

/** Exchanges the token of a sign-in link. It leaves the address at once, so that no history or screenshot keeps it. */
export function SignIn({ token, next }: { token: string; next: string }) {
  const [oneTime] = useState(token)
  const [target] = useState(next)
  const { mutate, error } = useSignIn()

  useEffect(() => {
    navigate("/signin", { replace: true })
    mutate(oneTime, { onSuccess: () => navigate(target, { replace: true }) })
  }, [oneTime, target, mutate])

  if (!error) {
    return (
      <Entrance title="Signing in">
        <Spinner label="Signing in" />
      </Entrance>
    )
  }
  return (
    <Entrance title="This link didn’t work">
      <Note kind="error">{describeError(error)}</Note>
      <p>Links work once, for five minutes. Print a fresh one on the computer where Casella runs:</p>
      <CommandLine command="npm run --silent box -- signin" />
    </Entrance>
  )
}
