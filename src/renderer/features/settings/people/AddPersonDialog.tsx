import { t } from "i18next"
import { useState } from "react"
import { getIssues } from "../../../lib/words/field-issues.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { Dialog, DialogActions } from "../../../ui/layers/Dialog.tsx"
import { SelectField } from "../../../ui/controls/Field.tsx"
import { Note } from "../../../ui/Note.tsx"
import { PersonFields } from "./PersonFields.tsx"
import { useAddPerson } from "./people.ts"
import { SignInLinksDialog } from "./SignInLinksDialog.tsx"

/** Adds a user and shows their sign-in link. */
export function AddPersonDialog({ onClose }: { onClose: () => void }) {
  const [person, setPerson] = useState({ name: "", email: "" })
  const [role, setRole] = useState<"member" | "owner">("member")
  const add = useAddPerson()
  if (add.data)
    return <SignInLinksDialog name={add.data.person.name} links={add.data.links} onClose={onClose} />
  const issues = getIssues(add.error, ["name", "email"])
  return (
    <Dialog open onClose={onClose} title={t("settings:people.add")}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          add.mutate({ ...person, role })
        }}
      >
        <PersonFields
          person={person}
          issues={issues}
          emailHint={t("settings:people.emailHint")}
          onChange={(part) => setPerson({ ...person, ...part })}
        />
        <SelectField
          label={t("settings:people.role")}
          hint={t(`settings:people.roleHint.${role}`)}
          value={role}
          onChange={(event) => setRole(event.target.value === "owner" ? "owner" : "member")}
        >
          <option value="member">{t("settings:roles.member")}</option>
          <option value="owner">{t("settings:roles.owner")}</option>
        </SelectField>
        {issues["other"] !== undefined && <Note kind="error">{issues["other"]}</Note>}
        <DialogActions>
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <Button
            type="submit"
            variant="primary"
            busy={add.isPending}
            disabled={person.name.trim() === "" || person.email.trim() === ""}
          >
            {t("settings:people.add")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
