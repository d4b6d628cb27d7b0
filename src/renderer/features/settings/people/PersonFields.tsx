import { t } from "i18next"
import { TextField } from "../../../ui/controls/Field.tsx"

interface Person {
  name: string
  email: string
}

interface PersonFieldsProps {
  person: Person
  /** Why the box refused a value, by field name. */
  issues: Record<string, string | undefined>
  emailHint?: string
  onChange: (part: Partial<Person>) => void
}

/** A user's name and email address. */
export function PersonFields({ person, issues, emailHint, onChange }: PersonFieldsProps) {
  return (
    <>
      <TextField
        label={t("settings:name")}
        value={person.name}
        maxLength={120}
        onChange={(event) => onChange({ name: event.target.value })}
        error={issues["name"]}
      />
      <TextField
        label={t("settings:email")}
        hint={emailHint}
        type="email"
        value={person.email}
        maxLength={254}
        onChange={(event) => onChange({ email: event.target.value })}
        error={issues["email"]}
      />
    </>
  )
}
