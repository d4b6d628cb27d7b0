import { t } from "i18next"
import type { OtherSession, User } from "../../../shared/contract/accounts.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Entrance } from "../../ui/PageParts.tsx"

interface SignInAsOtherProps extends OtherSession {
  onReplace: () => void
  onStay: () => void
}

/**
 * Asks before a link replaces the current user. A link sent by someone else may sign in to that person's account, and anything written
 * there would then belong to that person.
 */
export function SignInAsOther({ current, next, onReplace, onStay }: SignInAsOtherProps) {
  return (
    <Entrance title={t("account:other.title", { name: next.name })}>
      <p className="break-words">{t("account:other.next", { person: described(next) })}</p>
      <p className="break-words">{t("account:other.current", { person: described(current) })}</p>
      <div className="mt-1 flex flex-wrap gap-2">
        <Button variant="primary" onClick={onStay}>
          {t("account:other.stay", { name: current.name })}
        </Button>
        <Button onClick={onReplace}>{t("account:other.replace", { name: next.name })}</Button>
      </div>
    </Entrance>
  )
}

const described = ({ name, email }: User) => t("account:other.person", { name, email })
