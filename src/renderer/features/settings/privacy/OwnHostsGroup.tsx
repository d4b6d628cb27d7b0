import { t } from "i18next"
import { X } from "lucide-react"
import { useForgetPrivateHost } from "../../../data/settings.ts"
import { describeError } from "../../../lib/box.ts"
import { showToast } from "../../../lib/toasts.ts"
import { IconButton } from "../../../ui/controls/Button.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"

/** Hosts in the owner's private network whose web pages may be fetched, each until it is removed from the list. */
export function OwnHostsGroup({ hosts }: { hosts: readonly string[] }) {
  const forget = useForgetPrivateHost()
  return (
    <SettingsGroup title={t("privacy:ownHosts.title")} description={t("privacy:ownHosts.description")}>
      <ul
        aria-label={t("privacy:ownHosts.title")}
        className="divide-y divide-line rounded-lg border border-line"
      >
        {hosts.map((host) => (
          <li key={host} className="flex items-center gap-3 px-3 py-1.5 text-sm">
            <span className="min-w-0 flex-1 break-all">{host}</span>
            <IconButton
              label={t("privacy:ownHosts.remove", { host })}
              onClick={() =>
                forget.mutate(host, { onError: (error) => showToast(describeError(error), "error") })
              }
            >
              <X aria-hidden />
            </IconButton>
          </li>
        ))}
      </ul>
    </SettingsGroup>
  )
}
