import { t } from "i18next"
import { CalendarSearch, Table2 } from "lucide-react"
import { routes } from "../../../lib/navigation/routes.ts"
import { ButtonLink } from "../../../ui/controls/Button.tsx"

/** Says that templates need a model, and links to the folder tabs that work without one. */
export function WithoutModel({ folderId }: { folderId: string | undefined }) {
  return (
    <div className="mt-1 text-sm text-soft">
      <p>
        {t("templates:needsModel")} {folderId !== undefined && t("templates:withoutModel")}
      </p>
      {folderId !== undefined && (
        <p className="mt-2 flex flex-wrap gap-2">
          <ButtonLink href={routes.folderTab(folderId, "overview")}>
            <CalendarSearch aria-hidden /> {t("templates:overview")}
          </ButtonLink>
          <ButtonLink href={routes.folderTab(folderId, "tables")}>
            <Table2 aria-hidden /> {t("templates:tables")}
          </ButtonLink>
        </p>
      )}
    </div>
  )
}
