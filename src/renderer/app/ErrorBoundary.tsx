import { t } from "i18next"
import { Component, type ReactNode } from "react"
import { Entrance } from "../ui/PageParts.tsx"
import { routes } from "../lib/navigation/routes.ts"
import { uiLog } from "../lib/browser/ui-log.ts"
import { Button } from "../ui/controls/Button.tsx"

/** Replaces a page that failed to render. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override componentDidCatch(error: unknown) {
    uiLog.error(error)
  }

  override render() {
    if (!this.state.failed) return this.props.children
    return (
      <Entrance title={t("frame:failed.title")}>
        <p>{t("frame:failed.nothingLost")}</p>
        <div className="flex gap-2">
          <Button onClick={() => window.location.reload()}>{t("frame:failed.reload")}</Button>
          <Button onClick={reportAfterReload}>{t("frame:reportProblem")}</Button>
        </div>
      </Entrance>
    )
  }
}

/** The failed page can't show the report dialog, so the page reloads with it. The log contains the error. */
function reportAfterReload(): void {
  window.location.hash = routes.newReport
  window.location.reload()
}
