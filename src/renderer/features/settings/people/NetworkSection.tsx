import { useMutation, useQuery } from "@tanstack/react-query"
import { t } from "i18next"
import { useId, useState } from "react"
import { Link } from "wouter"
import type { NetworkState } from "../../../../shared/contract/settings.ts"
import { queryClient } from "../../../data/query-client.ts"
import { refreshSettings } from "../../../data/settings.ts"
import { box, describeError } from "../../../lib/box.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { Note } from "../../../ui/Note.tsx"
import { Spinner } from "../../../ui/Progress.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { Switch } from "../../../ui/controls/Toggles.tsx"
import { ConfirmDialog } from "../../../ui/layers/Dialog.tsx"
import { CommandLine } from "../../../ui/text/CommandLine.tsx"

const networkKey = ["network"] as const
/** The computer may join another network in the meantime. */
const pollIntervalMs = 15_000

/** Whether other computers can reach the box, and at which addresses. */
function useNetwork() {
  return useQuery({
    queryKey: networkKey,
    queryFn: async ({ signal }) => (await box.settings.network({}, { signal })).network,
    staleTime: 0,
    refetchInterval: pollIntervalMs,
  })
}

function useChangeNetworkAccess() {
  return useMutation({
    mutationFn: (networkAccess: boolean) => box.settings.update({ body: { networkAccess } }),
    onSettled: () =>
      Promise.all([refreshSettings(), queryClient.invalidateQueries({ queryKey: networkKey })]),
  })
}

/** Whether other computers can reach the box. Turning this on explains the consequences first. */
export function NetworkSection() {
  const { data: network, error } = useNetwork()
  if (error) return <Note kind="error">{describeError(error)}</Note>
  if (!network) return <Spinner label={t("common:loading")} />
  return (
    <SettingsGroup title={t("settings:network.title")} description={t("settings:network.description")}>
      <NetworkSwitch network={network} />
      <div className="mt-3 flex flex-col gap-3 text-sm empty:hidden">
        {network.decidedBy === "start" && <Note>{t("settings:network.decided")}</Note>}
        {network.failed.length > 0 && (
          <Note kind="warning">{t("settings:network.failed", { addresses: network.failed.join(", ") })}</Note>
        )}
        {network.on && <Reached network={network} />}
      </div>
    </SettingsGroup>
  )
}

function NetworkSwitch({ network: { on, decidedBy, addresses } }: { network: NetworkState }) {
  const id = useId()
  const [asked, setAsked] = useState(false)
  const change = useChangeNetworkAccess()
  return (
    <>
      <div className="flex items-start gap-4 rounded-lg border border-line px-3 py-2.5 text-sm">
        <div className="min-w-0 flex-1">
          <label htmlFor={id}>{t("settings:network.switch")}</label>
          <p id={`${id}-hint`} className="mt-0.5 text-xs text-soft">
            {t(on ? "settings:network.isOn" : "settings:network.isOff")}
          </p>
        </div>
        <Switch
          id={id}
          aria-describedby={`${id}-hint`}
          checked={on}
          disabled={decidedBy === "start" || change.isPending}
          onCheckedChange={(wanted) => (wanted ? setAsked(true) : change.mutate(false))}
        />
      </div>
      {change.error && <Note kind="error">{describeError(change.error)}</Note>}
      <ConfirmDialog
        open={asked}
        onClose={() => setAsked(false)}
        onConfirm={() => change.mutate(true)}
        title={t("settings:network.askTitle")}
        description={
          addresses.length === 0
            ? t("settings:network.askNowhere")
            : t("settings:network.ask", { addresses: addresses.join(", ") })
        }
        confirmLabel={t("settings:network.confirm")}
      />
    </>
  )
}

/** The addresses to type on another device, and the credentials that work there. */
function Reached({ network: { addresses } }: { network: NetworkState }) {
  if (addresses.length === 0) return <Note>{t("settings:network.nowhere")}</Note>
  return (
    <>
      <div>
        <p className="mb-1.5 text-soft">{t("settings:network.type")}</p>
        <ul aria-label={t("settings:network.type")} className="flex flex-col gap-2">
          {addresses.map((address) => (
            <li key={address}>
              <CommandLine command={address} kind="address" />
            </li>
          ))}
        </ul>
      </div>
      <p className="text-soft">
        {t("settings:network.keys")}{" "}
        <Link href={routes.people} className="rounded text-accent underline underline-offset-2">
          {t("settings:sections.people")}
        </Link>{" "}
        ·{" "}
        <Link href={routes.keys} className="rounded text-accent underline underline-offset-2">
          {t("settings:sections.keys")}
        </Link>
      </p>
    </>
  )
}
