import { t } from "i18next"
import { Link } from "wouter"
import { workRoutes } from "../../lib/navigation/work-routes.ts"
import { getTemplateKind, templateNames } from "./automation-form.ts"
import { triggerIcons } from "./trigger-icons.ts"

/** Templates to choose from. Nothing is created until it is saved. */
export function TemplateList() {
  return (
    <ul aria-label={t("automations:beginnings")} className="grid gap-2">
      {templateNames.map((name) => {
        const Icon = triggerIcons[getTemplateKind(name)]
        return (
          <li key={name}>
            <Link
              href={workRoutes.newWith("template", name)}
              className="flex items-center gap-3 rounded-lg border border-line px-3 py-2.5 transition-colors hover:border-line-strong hover:bg-hover"
            >
              <Icon className="size-4 shrink-0 text-soft" aria-hidden />
              <span className="min-w-0">
                <span className="block text-sm font-medium">{t(`automations:template.${name}.name`)}</span>
                <span className="block text-xs text-faint">{t(`automations:template.${name}.text`)}</span>
              </span>
            </Link>
          </li>
        )
      })}
    </ul>
  )
}
