import { t } from "i18next"
import { Gauge, Link2, ShieldCheck, ShieldOff, UserCheck, UserX, UserPlus } from "lucide-react"
import { useState } from "react"
import { Link } from "wouter"
import type { SignInLinks, Person, PersonChange } from "../../../../shared/contract/accounts.ts"
import { useOwner, useSession } from "../../../data/session.ts"
import { describeError } from "../../../lib/box.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { showError } from "../../../lib/toasts.ts"
import { getIssues } from "../../../lib/words/field-issues.ts"
import { formatTime, formatMoment } from "../../../lib/words/format.ts"
import { Note } from "../../../ui/Note.tsx"
import { Button } from "../../../ui/controls/Button.tsx"
import { SelectField } from "../../../ui/controls/Field.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { Dialog, DialogActions, ConfirmDialog } from "../../../ui/layers/Dialog.tsx"
import { Menu, MenuItem, type MenuTrigger, RowMenu } from "../../../ui/layers/Menu.tsx"
import { CommandLine } from "../../../ui/text/CommandLine.tsx"
import { PersonLimitsDialog, QuotasGroup } from "../quotas/QuotasGroup.tsx"
import { PersonFields, useAddPerson, useChangePerson, useSignInLinks, usePeople } from "./people.tsx"

interface SignInLinksDialogProps {
  name: string
  links: SignInLinks
  onClose: () => void
}

/** Shows a user's sign-in links, to pass on. */
function SignInLinksDialog({ name, links, onClose }: SignInLinksDialogProps) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("settings:people.linkTitle", { name })}
      description={t("settings:people.linkDescription", { time: formatTime(links.expiresAt) })}
    >
      <div className="flex flex-col gap-3 text-sm">
        {links.network.map((link) => (
          <div key={link}>
            <p className="mb-1 text-soft">{t("settings:people.linkFrom", { host: new URL(link).host })}</p>
            <CommandLine command={link} kind="link" />
          </div>
        ))}
        <div>
          <p className="mb-1 text-soft">{t("settings:people.linkHere")}</p>
          <CommandLine command={links.local} kind="link" />
        </div>
        {links.network.length === 0 && (
          <Note>
            {t("settings:people.onlyHere")}{" "}
            <Link href={routes.network} className="rounded text-accent underline underline-offset-2">
              {t("settings:sections.network")}
            </Link>
          </Note>
        )}
      </div>
      <DialogActions>
        <Button variant="primary" data-focus-first onClick={onClose}>
          {t("settings:done")}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** Adds a user and shows their sign-in link. */
function AddPersonDialog({ onClose }: { onClose: () => void }) {
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

/** An owner's actions for another user's account. */
function PersonActions({ person, trigger }: { person: Person; trigger: MenuTrigger }) {
  const { id, name, role, disabledAt } = person
  const [disabling, setDisabling] = useState(false)
  const [limiting, setLimiting] = useState(false)
  const change = useChangePerson()
  const links = useSignInLinks()
  const apply = (body: PersonChange) => change.mutate({ id, ...body }, { onError: showError })
  const otherRole = role === "owner" ? "member" : "owner"

  return (
    <>
      <Menu defaultOpen trigger={trigger}>
        {disabledAt === null ? (
          <>
            <MenuItem onSelect={() => links.mutate(id, { onError: showError })}>
              <Link2 aria-hidden /> {t("settings:people.newLink")}
            </MenuItem>
            <MenuItem onSelect={() => apply({ role: otherRole })}>
              {otherRole === "owner" ? <ShieldCheck aria-hidden /> : <ShieldOff aria-hidden />}
              {t(`settings:people.make.${otherRole}`)}
            </MenuItem>
            <MenuItem onSelect={() => setLimiting(true)}>
              <Gauge aria-hidden /> {t("quotas:ofPerson")}
            </MenuItem>
            <MenuItem danger onSelect={() => setDisabling(true)}>
              <UserX aria-hidden /> {t("settings:people.disable")}
            </MenuItem>
          </>
        ) : (
          <MenuItem onSelect={() => apply({ disabled: false })}>
            <UserCheck aria-hidden /> {t("settings:people.enable")}
          </MenuItem>
        )}
      </Menu>
      {links.data && <SignInLinksDialog name={name} links={links.data} onClose={links.reset} />}
      {limiting && <PersonLimitsDialog id={id} onClose={() => setLimiting(false)} />}
      <ConfirmDialog
        open={disabling}
        onClose={() => setDisabling(false)}
        onConfirm={() => apply({ disabled: true })}
        title={t("settings:people.disableTitle", { name })}
        description={t("settings:people.disableDescription")}
        confirmLabel={t("settings:people.disable")}
      />
    </>
  )
}

interface PersonRowProps {
  person: Person
  /** Whether this is the signed-in user. */
  self: boolean
  manageable: boolean
}

function PersonRow({ person, self, manageable }: PersonRowProps) {
  const { name, email, role, disabledAt } = person
  return (
    <li className="flex items-center gap-3 px-3 py-2.5">
      <span
        aria-hidden
        className="flex size-8 shrink-0 items-center justify-center rounded-full bg-well text-sm text-soft uppercase"
      >
        {getInitial(name)}
      </span>
      <div className="min-w-0 flex-1">
        <p className="truncate text-sm" title={name}>
          {name}
          {self && <span className="text-faint"> · {t("settings:people.you")}</span>}
        </p>
        <p className="truncate text-xs text-faint" title={email}>
          {email}
        </p>
      </div>
      <span className="shrink-0 text-xs text-soft">
        {disabledAt === null
          ? t(`settings:roles.${role}`)
          : t("settings:people.disabledSince", { moment: formatMoment(disabledAt) })}
      </span>
      {manageable ? (
        <RowMenu
          label={t("settings:people.actionsOn", { name })}
          renderMenu={(trigger) => <PersonActions person={person} trigger={trigger} />}
        />
      ) : (
        <span className="size-7" />
      )}
    </li>
  )
}

/** The first visible letter, which may be several characters. */
const getInitial = (name: string) =>
  new Intl.Segmenter().segment(name)[Symbol.iterator]().next().value?.segment

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
