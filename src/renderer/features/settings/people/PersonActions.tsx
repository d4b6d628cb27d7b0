import { t } from "i18next"
import { Gauge, Link2, ShieldCheck, ShieldOff, UserCheck, UserX } from "lucide-react"
import { useState } from "react"
import type { Person, PersonChange } from "../../../../shared/contract/accounts.ts"
import { describeError } from "../../../lib/box.ts"
import { ConfirmDialog } from "../../../ui/layers/Dialog.tsx"
import { Menu, MenuItem, type MenuTrigger } from "../../../ui/layers/Menu.tsx"
import { showToast } from "../../../lib/toasts.ts"
import { PersonLimitsDialog } from "../quotas/LimitsDialog.tsx"
import { useChangePerson, useSignInLinks } from "./people.ts"
import { SignInLinksDialog } from "./SignInLinksDialog.tsx"

const showFailure = (error: unknown) => showToast(describeError(error), "error")

/** An owner's actions for another user's account. */
export function PersonActions({ person, trigger }: { person: Person; trigger: MenuTrigger }) {
  const { id, name, role, disabledAt } = person
  const [disabling, setDisabling] = useState(false)
  const [limiting, setLimiting] = useState(false)
  const change = useChangePerson()
  const links = useSignInLinks()
  const apply = (body: PersonChange) => change.mutate({ id, ...body }, { onError: showFailure })
  const otherRole = role === "owner" ? "member" : "owner"

  return (
    <>
      <Menu defaultOpen trigger={trigger}>
        {disabledAt === null ? (
          <>
            <MenuItem onSelect={() => links.mutate(id, { onError: showFailure })}>
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
