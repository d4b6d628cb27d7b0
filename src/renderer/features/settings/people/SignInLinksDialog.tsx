import { t } from "i18next"
import type { SignInLinks } from "../../../../shared/contract/accounts.ts"
import { Link } from "wouter"
import { routes } from "../../../lib/navigation/routes.ts"
import { formatTime } from "../../../lib/words/format.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { CommandLine } from "../../../ui/text/CommandLine.tsx"
import { Dialog, DialogActions } from "../../../ui/layers/Dialog.tsx"
import { Note } from "../../../ui/Note.tsx"

interface SignInLinksDialogProps {
  name: string
  links: SignInLinks
  onClose: () => void
}

/** Shows a user's sign-in links, to pass on. */
export function SignInLinksDialog({ name, links, onClose }: SignInLinksDialogProps) {
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
