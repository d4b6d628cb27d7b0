import { t } from "i18next"
import { Link } from "wouter"
import { routes } from "../../lib/navigation/routes.ts"
import { AssistantAvatar } from "../../ui/pictures/AssistantAvatar.tsx"
import { getTemplateAppearance, templateNames } from "./templates.ts"

/** The templates in one line, above a form. */
export function TemplateLine() {
  return (
    <div className="mb-4 flex flex-wrap items-center gap-1.5">
      <h2 className="mr-1 text-xs font-medium text-faint">{t("assistants:templates")}</h2>
      <ul aria-label={t("assistants:templates")} className="contents">
        {templateNames.map((name) => (
          <li key={name}>
            <Link
              href={routes.newAssistantFrom(name)}
              title={t(`assistants:template.${name}.description`)}
              className="flex h-8 items-center gap-2 rounded-lg border border-line pr-2.5 pl-1.5 text-sm transition-colors hover:border-line-strong hover:bg-hover"
            >
              <AssistantAvatar assistant={getTemplateAppearance(name)} size="small" />
              {t(`assistants:template.${name}.name`)}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Templates to choose from. Nothing is created until it is saved. */
export function TemplateCards() {
  return (
    <ul
      aria-label={t("assistants:templates")}
      className="grid grid-cols-[repeat(auto-fill,minmax(14rem,1fr))] gap-2"
    >
      {templateNames.map((name) => (
        <li key={name}>
          <Link
            href={routes.newAssistantFrom(name)}
            className="flex h-full items-start gap-3 rounded-lg border border-line px-3 py-2.5 text-left transition-colors hover:border-line-strong hover:bg-hover"
          >
            <AssistantAvatar assistant={getTemplateAppearance(name)} />
            <span className="min-w-0">
              <span className="block text-sm font-medium">{t(`assistants:template.${name}.name`)}</span>
              <span className="block text-xs text-faint">{t(`assistants:template.${name}.description`)}</span>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
