import { t } from "i18next"
import { LogOut } from "lucide-react"
import { useState } from "react"
import type { User } from "../../../shared/contract/accounts.ts"
import { useSession, useSignOut } from "../../data/session.ts"
import { showError, showToast } from "../../lib/toasts.ts"
import { getIssues } from "../../lib/words/field-issues.ts"
import { formatTime } from "../../lib/words/format.ts"
import { Note } from "../../ui/Note.tsx"
import { ProgressBar } from "../../ui/Progress.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { SettingsGroup, Facts } from "../../ui/controls/Sections.tsx"
import { LeaveQuestion } from "../../ui/layers/Dialog.tsx"
import { PersonFields, useChangePerson } from "./people/people.tsx"
import { formatAmount, getWorkspaceName, kinds, useOwnQuota } from "./quotas/quotas.ts"

/** The user's own usage and limits; nothing if there is no limit or it can't be read. */
function OwnUse() {
  const { data } = useOwnQuota()
  const limited = data ? kinds.filter((kind) => data.limits[kind] !== null) : []
  if (!data || limited.length === 0) return null
  const isDaily = limited.some((kind) => kind === "answers" || kind === "tokens")
  const description = isDaily
    ? { description: t("quotas:mineDescription", { time: formatTime(data.resetsAt) }) }
    : {}
  return (
    <SettingsGroup title={t("quotas:mine")} {...description}>
      <ul aria-label={t("quotas:mine")} className="divide-y divide-line rounded-lg border border-line">
        {limited.map((kind) => {
          const [name, used, limit] = [t(`quotas:name.${kind}`), data.use[kind], data.limits[kind] ?? 0]
          return (
            <li key={kind} className="px-3 py-2.5 text-sm">
              <p className="mb-1.5 flex justify-between gap-4">
                <span className="text-soft">{name}</span>
                <span>
                  {t("quotas:of", { used: formatAmount(kind, used), most: formatAmount(kind, limit) })}
                </span>
              </p>
              <ProgressBar label={name} percent={limit === 0 ? 100 : (used / limit) * 100} />
            </li>
          )
        })}
      </ul>
    </SettingsGroup>
  )
}

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
        <Facts
          rows={workspaces.map(({ name, role }) => [getWorkspaceName(name), t(`settings:roles.${role}`)])}
        />
      </SettingsGroup>
      <OwnUse />
      <SettingsGroup
        title={t("settings:profile.session")}
        description={t("settings:profile.sessionDescription")}
      >
        <Button busy={signOut.isPending} onClick={() => signOut.mutate(undefined, { onError: showError })}>
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
