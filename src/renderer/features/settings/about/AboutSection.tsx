import { t } from "i18next"
import { Suspense, useState } from "react"
import { Link } from "wouter"
import { useHealth } from "../../../data/health.ts"
import { useOwner } from "../../../data/session.ts"
import { shellBridge } from "../../../lib/browser/shell-bridge.ts"
import { later } from "../../../lib/later.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { Spinner } from "../../../ui/Progress.tsx"
import { Button } from "../../../ui/controls/Button.tsx"
import { SettingsGroup, Facts } from "../../../ui/controls/Sections.tsx"
import { UpdateGroup } from "../desktop/UpdateGroup.tsx"

/** Explains how to update without the desktop app. */
function UpdateByHand() {
  return (
    <SettingsGroup title={t("settings:update.title")}>
      <div className="flex flex-col gap-2 text-sm text-soft">
        <p>{t("settings:update.byHand")}</p>
        <p>{t("settings:update.dataStays")}</p>
      </div>
    </SettingsGroup>
  )
}

const LicenceList = later(async () => (await import("./LicenceList.tsx")).LicenceList)

/** Casella's version, available updates, and the licences of bundled software. */
export function AboutSection() {
  const owner = useOwner()
  const [listed, setListed] = useState(false)
  const { data: health } = useHealth()
  return (
    <>
      <SettingsGroup title={t("settings:about.program")}>
        <Facts
          rows={[
            [t("settings:about.version"), health?.version ?? "…"],
            [t("settings:about.licence"), "MIT"],
            [
              t("settings:about.api"),
              <a key="docs" href="/api/docs" target="_blank" rel="noreferrer" className="rounded text-accent">
                {t("settings:keys.docs")}
              </a>,
            ],
          ]}
        />
      </SettingsGroup>
      {shellBridge() ? <UpdateGroup /> : <UpdateByHand />}
      <SettingsGroup title={t("settings:about.models")}>
        <p className="text-sm text-soft">
          {t("settings:about.modelsText")}{" "}
          {owner && (
            <Link href={routes.moreModels} className="rounded text-accent underline underline-offset-2">
              {t("settings:sections.moreModels")}
            </Link>
          )}
        </p>
      </SettingsGroup>
      <SettingsGroup
        title={t("settings:about.licences")}
        description={t("settings:about.licencesDescription")}
        action={
          !listed && <Button onClick={() => setListed(true)}>{t("settings:about.showLicences")}</Button>
        }
      >
        {listed && (
          <Suspense fallback={<Spinner label={t("common:loading")} />}>
            <LicenceList />
          </Suspense>
        )}
      </SettingsGroup>
    </>
  )
}
