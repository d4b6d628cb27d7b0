import { t } from "i18next"
import { LogOut } from "lucide-react"
import { useState } from "react"
import type { User } from "../../../shared/contract/accounts.ts"
import { useSession, useSignOut } from "../../data/session.ts"
import { describeError } from "../../lib/box.ts"
import { getIssues } from "../../lib/words/field-issues.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Note } from "../../ui/Note.tsx"
import { Facts, SettingsGroup } from "../../ui/controls/Sections.tsx"
import { LeaveQuestion } from "../../ui/layers/Dialog.tsx"
import { showToast } from "../../lib/toasts.ts"
import { useChangePerson } from "./people/people.ts"
import { OwnUse } from "./quotas/OwnUse.tsx"
import { PersonFields } from "./people/PersonFields.tsx"

/** The signed-in user's profile, workspaces and session. */
export function ProfileSection() {
  const { data: session } = useSession()
  const signOut = useSignOut()
  if (!session) return null
  const { user, workspaces } = session
  return (
    <>
      <SettingsGroup title={t("settings:profile.you")}>
        <ProfileForm key={`${user.name} ${user.email}`} user={user} />
      </SettingsGroup>
      <SettingsGroup title={t("settings:profile.workspace")}>
        <Facts rows={workspaces.map(({ name, role }) => [name, t(`settings:roles.${role}`)])} />
      </SettingsGroup>
      <OwnUse />
      <SettingsGroup
        title={t("settings:profile.session")}
        description={t("settings:profile.sessionDescription")}
      >
        <Button
          busy={signOut.isPending}
          onClick={() =>
            signOut.mutate(undefined, { onError: (error) => showToast(describeError(error), "error") })
          }
        >
          <LogOut aria-hidden /> {t("settings:profile.signOut")}
        </Button>
      </SettingsGroup>
    </>
  )
}

function ProfileForm({ user }: { user: User }) {
  const [person, setPerson] = useState({ name: user.name, email: user.email })
  const change = useChangePerson()
  const issues = getIssues(change.error, ["name", "email"])
  const { name, email } = person
  const same = name.trim() === user.name && email.trim() === user.email
  return (
    <form
      className="flex max-w-md flex-col items-start gap-4 *:w-full"
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate(
          { id: user.id, name, email },
          { onSuccess: () => showToast(t("settings:profile.saved")) },
        )
      }}
    >
      <PersonFields person={person} issues={issues} onChange={(part) => setPerson({ ...person, ...part })} />
      {issues["other"] !== undefined && <Note kind="error">{issues["other"]}</Note>}
      <Button
        type="submit"
        variant="primary"
        className="max-w-fit"
        busy={change.isPending}
        disabled={same || name.trim() === "" || email.trim() === ""}
      >
        {t("settings:save")}
      </Button>
      <LeaveQuestion unsaved={!same} />
    </form>
  )
}
