import { t } from "i18next"
import type { Person } from "../../../../shared/contract/accounts.ts"
import { formatMoment } from "../../../lib/words/format.ts"
import { RowMenu } from "../../../ui/layers/Menu.tsx"
import { PersonActions } from "./PersonActions.tsx"

interface PersonRowProps {
  person: Person
  /** Whether this is the signed-in user. */
  self: boolean
  manageable: boolean
}

export function PersonRow({ person, self, manageable }: PersonRowProps) {
  const { name, email, role, disabledAt } = person
  return (
    <li className="flex items-center gap-3 px-3 py-2.5">
      <span
        aria-hidden
        className="flex size-8 shrink-0 items-center justify-center rounded-full bg-well text-sm text-soft uppercase"
      >
        {initial(name)}
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
const initial = (name: string) => new Intl.Segmenter().segment(name)[Symbol.iterator]().next().value?.segment
