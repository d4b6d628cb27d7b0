import { t } from "i18next"
import { LifeBuoy } from "lucide-react"
import { useEffect } from "react"
import { useLocation, useSearchParams } from "wouter"
import { openReport } from "../../lib/report-dialog.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { SettingsGroup } from "../../ui/controls/Sections.tsx"
import { AccountGroup } from "./AccountGroup.tsx"
import { ReportList } from "./ReportList.tsx"

/** Reports to support, their outcomes, and the account they are sent from. */
export function SupportSection() {
  const [, navigate] = useLocation()
  const [search] = useSearchParams()
  const asked = search.has("new")
  useEffect(() => {
    if (!asked) return
    navigate(routes.support, { replace: true })
    void openReport()
  }, [asked, navigate])
  return (
    <>
      <SettingsGroup
        title={t("support:reports.title")}
        description={t("support:reports.description")}
        action={
          <Button variant="primary" onClick={() => void openReport()}>
            <LifeBuoy aria-hidden /> {t("support:reports.new")}
          </Button>
        }
      >
        <ReportList />
      </SettingsGroup>
      <AccountGroup />
    </>
  )
}
