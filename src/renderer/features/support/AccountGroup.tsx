import { t } from "i18next"
import { LogOut } from "lucide-react"
import { useSupportAccount, useSupportSignOut } from "../../data/support.ts"
import { describeError } from "../../lib/box.ts"
import { formatDay } from "../../lib/words/format.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Note } from "../../ui/Note.tsx"
import { Facts, SettingsGroup } from "../../ui/controls/Sections.tsx"
import { showToast } from "../../lib/toasts.ts"
import { SignInForm } from "./SignInForm.tsx"

/** The account that reports are sent from. */
export function AccountGroup() {
  const { data: account, error } = useSupportAccount()
  const signOut = useSupportSignOut()
  return (
    <SettingsGroup title={t("support:account.title")} description={t("support:account.description")}>
      {error && <Note kind="error">{describeError(error)}</Note>}
      {account?.authUrl === null && <Note>{t("support:account.noService")}</Note>}
      {account && account.authUrl !== null && !account.signedIn && <SignInForm authUrl={account.authUrl} />}
      {account && account.authUrl !== null && account.signedIn && (
        <div className="flex flex-col items-start gap-3 *:w-full">
          <Facts
            rows={[
              [t("support:account.as"), account.email ?? t("support:account.withKey")],
              [t("support:account.service"), account.authUrl],
              ...(account.expiresAt === null
                ? []
                : [
                    [t("support:account.until"), formatDay(new Date(account.expiresAt), "year")] as [
                      string,
                      string,
                    ],
                  ]),
            ]}
          />
          <Button
            className="max-w-fit"
            busy={signOut.isPending}
            onClick={() =>
              signOut.mutate(undefined, { onError: (fault) => showToast(describeError(fault), "error") })
            }
          >
            <LogOut aria-hidden /> {t("support:account.signOut")}
          </Button>
        </div>
      )}
    </SettingsGroup>
  )
}
