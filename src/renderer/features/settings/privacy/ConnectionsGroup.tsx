import { t } from "i18next"
import { Download } from "lucide-react"
import { useState } from "react"
import { EgressPurpose } from "../../../../shared/contract/privacy.ts"
import { useOwner } from "../../../data/session.ts"
import { egressCsvPath, useClearEgress } from "../../../data/privacy.ts"
import { describeError } from "../../../lib/box.ts"
import { download } from "../../../lib/browser/download.ts"
import { useDebounced } from "../../../lib/debounced.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { ConfirmDialog } from "../../../ui/layers/Dialog.tsx"
import { SearchField } from "../../../ui/controls/SearchField.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { showToast } from "../../../lib/toasts.ts"
import { ConnectionList } from "./ConnectionList.tsx"

/** The log of outgoing connections, to view, export and clear. */
export function ConnectionsGroup() {
  const owner = useOwner()
  const [host, setHost] = useState("")
  const [purpose, setPurpose] = useState<EgressPurpose>()
  const [clearing, setClearing] = useState(false)
  const clear = useClearEgress()
  const filter = { host: useDebounced(host.trim()), purpose }
  return (
    <SettingsGroup
      title={t("privacy:list.title")}
      description={t(owner ? "privacy:list.description" : "privacy:list.descriptionForMembers")}
      action={
        <div className="flex shrink-0 gap-1">
          {owner && (
            <Button variant="quiet" onClick={() => setClearing(true)}>
              {t("privacy:list.clear")}
            </Button>
          )}
          <Button onClick={() => void download(egressCsvPath(filter))}>
            <Download aria-hidden /> {t("privacy:list.export")}
          </Button>
        </div>
      }
    >
      <div className="mb-3 flex items-center gap-2 text-sm">
        <SearchField
          label={t("privacy:list.host")}
          value={host}
          onChange={setHost}
          maxLength={255}
          className="min-w-0 flex-1"
        />
        <select
          aria-label={t("privacy:list.purpose")}
          value={purpose ?? ""}
          onChange={({ target }) => setPurpose(EgressPurpose.safeParse(target.value).data)}
          className="h-8 max-w-1/2 rounded-md border border-line-strong bg-field px-2 hover:border-faint"
        >
          <option value="">{t("privacy:list.everyPurpose")}</option>
          {EgressPurpose.options.map((each) => (
            <option key={each} value={each}>
              {t(`privacy:purpose.${each}`)}
            </option>
          ))}
        </select>
      </div>
      <ConnectionList key={JSON.stringify(filter)} filter={filter} />
      <ConfirmDialog
        open={clearing}
        onClose={() => setClearing(false)}
        onConfirm={() =>
          clear.mutate(undefined, { onError: (error) => showToast(describeError(error), "error") })
        }
        title={t("privacy:list.clearTitle")}
        description={t("privacy:list.clearDescription")}
        confirmLabel={t("privacy:list.clear")}
      />
    </SettingsGroup>
  )
}
