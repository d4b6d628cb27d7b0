import { t } from "i18next"
import { Download } from "lucide-react"
import { useState } from "react"
import { AuditGroup } from "../../../../shared/contract/audit-log.ts"
import { download } from "../../../lib/browser/download.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { usePeople } from "../people/people.ts"
import { auditFilePath } from "./audit-log.ts"
import { AuditList } from "./AuditList.tsx"

const select = "h-8 min-w-0 max-w-full rounded-md border border-line-strong bg-field px-2 hover:border-faint"

/** The audit log, for owners. */
export function AuditSection() {
  const { data: people } = usePeople()
  const [group, setGroup] = useState<AuditGroup>()
  const [actorId, setActorId] = useState<string>()
  return (
    <SettingsGroup
      title={t("audit:section")}
      description={t("audit:description")}
      action={
        <Button onClick={() => void download(auditFilePath)}>
          <Download aria-hidden /> {t("audit:download")}
        </Button>
      }
    >
      <div className="mb-3 flex flex-wrap items-center gap-2 text-sm">
        <select
          aria-label={t("audit:group")}
          value={group ?? ""}
          onChange={({ target }) => setGroup(AuditGroup.safeParse(target.value).data)}
          className={select}
        >
          <option value="">{t("audit:everyGroup")}</option>
          {AuditGroup.options.map((each) => (
            <option key={each} value={each}>
              {t(`audit:groups.${each}`)}
            </option>
          ))}
        </select>
        <select
          aria-label={t("audit:person")}
          value={actorId ?? ""}
          onChange={({ target }) => setActorId(target.value === "" ? undefined : target.value)}
          className={select}
        >
          <option value="">{t("audit:everyone")}</option>
          {people?.map(({ id, name, email }) => (
            <option key={id} value={id}>
              {`${name} (${email})`}
            </option>
          ))}
        </select>
      </div>
      <AuditList filter={{ group, actorId }} />
    </SettingsGroup>
  )
}
