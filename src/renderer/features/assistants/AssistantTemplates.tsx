import { t } from "i18next"
import { Link } from "wouter"
import { routes } from "../../lib/navigation/routes.ts"
import { accentColours } from "../../ui/controls/ColourTiles.tsx"
import { AssistantAvatar } from "../../ui/pictures/AssistantAvatar.tsx"
import { emptyForm, type AssistantForm } from "./editor/form.ts"

/** Templates for new assistants. Their texts are in the language files. */
const templates = {
  documents: { icon: "BookOpen", color: accentColours.blue, tools: ["calculate"] },
  writer: { icon: "PenLine", color: accentColours.purple, tools: [] },
  translator: { icon: "Languages", color: accentColours.teal, tools: [] },
  analyst: {
    icon: "ChartLine",
    color: accentColours.amber,
    tools: ["calculate", "plot", "codeInterpreter"],
  },
} as const satisfies Record<string, Pick<AssistantForm, "icon" | "color"> & { tools: readonly string[] }>

type TemplateName = keyof typeof templates
const templateNames = Object.keys(templates) as TemplateName[]

export const isTemplate = (name: string | undefined): name is TemplateName =>
  name !== undefined && Object.hasOwn(templates, name)

const getTemplateAppearance = (name: TemplateName) => ({ ...templates[name], customImage: null })

/** The form values of a template, in the page's language. */
export function templateForm(name: TemplateName): AssistantForm {
  const { icon, color, tools } = templates[name]
  const suggestion = (which: "first" | "second") => ({
    key: which,
    label: t(`assistants:template.${name}.${which}.label`),
    prompt: t(`assistants:template.${name}.${which}.prompt`),
  })
  return {
    ...emptyForm,
    name: t(`assistants:template.${name}.name`),
    description: t(`assistants:template.${name}.description`),
    instructions: t(`assistants:template.${name}.instructions`),
    suggestions: [suggestion("first"), suggestion("second")],
    icon,
    color,
    tools: [...tools],
  }
}

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
