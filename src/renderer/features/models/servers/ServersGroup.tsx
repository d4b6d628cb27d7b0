import { t } from "i18next"
import { Plus } from "lucide-react"
import { useState } from "react"
import { useModelServers } from "../../../data/models/model-settings.ts"
import { describeError } from "../../../lib/box.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { Note } from "../../../ui/Note.tsx"
import { ServerDialog } from "./ServerDialog.tsx"
import { ServerRow } from "./ServerRow.tsx"

/** Remote model servers that Casella uses, and a way to add another. */
export function ServersGroup() {
  const { data: servers = [], error } = useModelServers()
  const [adding, setAdding] = useState(false)
  return (
    <SettingsGroup title={t("models:servers.title")} description={t("models:servers.description")}>
      <div className="flex flex-col items-start gap-3">
        {error && <Note kind="error">{describeError(error)}</Note>}
        {servers.length > 0 && (
          <ul
            className="w-full divide-y divide-line rounded-lg border border-line"
            aria-label={t("models:servers.title")}
          >
            {servers.map((server) => (
              <ServerRow key={server.id} server={server} />
            ))}
          </ul>
        )}
        <Button onClick={() => setAdding(true)}>
          <Plus aria-hidden /> {t("models:servers.add")}
        </Button>
      </div>
      {adding && <ServerDialog onClose={() => setAdding(false)} />}
    </SettingsGroup>
  )
}
