import { t } from "i18next"
import { Component, type ReactNode } from "react"
import { Entrance } from "../features/account/Entrance.tsx"
import { Button } from "../ui/Button.tsx"

/** Stands in for a page that failed to draw. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    if (!this.state.failed) return this.props.children
    return (
      <Entrance title={t("frame:failed.title")}>
        <p>{t("frame:failed.nothingLost")}</p>
        <Button className="w-fit" onClick={() => window.location.reload()}>
          {t("frame:failed.reload")}
        </Button>
      </Entrance>
    )
  }
}
