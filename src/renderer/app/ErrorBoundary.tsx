import { t } from "i18next"
import { Component, type ReactNode } from "react"
import { Entrance } from "../ui/Entrance.tsx"
import { routes } from "../lib/places/routes.ts"
import { uiLog } from "../lib/browser/ui-log.ts"
import { Button } from "../ui/controls/Button.tsx"

/** Stands in for a page that failed to draw. */
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

/** What failed can't draw the dialog: the page starts anew with it, and its log says what happened. */
function reportAfterReload(): void {
  window.location.hash = routes.newReport
  window.location.reload()
}
