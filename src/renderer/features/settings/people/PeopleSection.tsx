import { t } from "i18next"
import { UserPlus } from "lucide-react"
import { useState } from "react"
import { useOwner, useSession } from "../../../data/session.ts"
import { describeError } from "../../../lib/box.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { Note } from "../../../ui/Note.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { QuotasGroup } from "../quotas/QuotasGroup.tsx"
import { AddPersonDialog } from "./AddPersonDialog.tsx"
import { usePeople } from "./people.ts"
import { PersonRow } from "./PersonRow.tsx"

/** The users of the box. */
export function PeopleSection() {
  const { data: session } = useSession()
  const { data: people, error } = usePeople()
  const owner = useOwner()
  const [adding, setAdding] = useState(false)
  return (
    <>
      <SettingsGroup
        title={t("settings:people.title")}
        description={t(owner ? "settings:people.description" : "settings:people.descriptionForMembers")}
        action={
          owner && (
            <Button onClick={() => setAdding(true)}>
              <UserPlus aria-hidden /> {t("settings:people.add")}
            </Button>
          )
        }
      >
        {error && <Note kind="error">{describeError(error)}</Note>}
        {people && (
          <ul
            aria-label={t("settings:people.title")}
            className="divide-y divide-line rounded-lg border border-line"
          >
            {people.map((person) => (
              <PersonRow
                key={person.id}
                person={person}
                self={person.id === session?.user.id}
                manageable={owner && person.id !== session?.user.id}
              />
            ))}
          </ul>
        )}
        {adding && <AddPersonDialog onClose={() => setAdding(false)} />}
      </SettingsGroup>
      {owner && <QuotasGroup />}
    </>
  )
}
