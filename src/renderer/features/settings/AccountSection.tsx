import { LogOut } from "lucide-react"
import { useSession, useSignOut } from "../../data/session.ts"
import { describeError } from "../../lib/box.ts"
import { Button } from "../../ui/Button.tsx"
import { Facts, SettingsGroup } from "../../ui/SettingsGroup.tsx"
import { showToast } from "../../ui/toasts.ts"

/** Who is signed in, and where. */
export function AccountSection() {
  const { data: session } = useSession()
  const signOut = useSignOut()
  if (!session) return null
  const { user, workspaces } = session
  return (
    <>
      <SettingsGroup title="You">
        <Facts
          rows={[
            ["Name", user.name],
            ["E-mail", user.email],
            ...workspaces.map(({ name, role }): [string, string] => [
              "Workspace",
              role === "owner" ? `${name} (owner)` : name,
            ]),
          ]}
        />
      </SettingsGroup>
      <SettingsGroup title="This session" description="Signing in again takes a fresh link from the box.">
        <Button
          busy={signOut.isPending}
          onClick={() =>
            signOut.mutate(undefined, { onError: (error) => showToast(describeError(error), "error") })
          }
        >
          <LogOut aria-hidden /> Sign out
        </Button>
      </SettingsGroup>
    </>
  )
}
