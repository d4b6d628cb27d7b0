import type { ReactNode } from "react"
import { CommandLine } from "../../ui/CommandLine.tsx"
import { Entrance } from "./Entrance.tsx"

/** What someone without a session sees: how to get in, and before that why they are out. */
export function SignedOut({ children }: { children?: ReactNode }) {
  return (
    <Entrance title="Sign in to Casella">
      {children}
      <p>On the computer where Casella runs, open it again:</p>
      <CommandLine command="npm start" />
      <p>or print a fresh link, and open it in this browser:</p>
      <CommandLine command="npm run --silent box -- signin" />
      <p className="text-sm text-faint">A link works once, for five minutes.</p>
    </Entrance>
  )
}
