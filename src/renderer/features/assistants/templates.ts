import { t } from "i18next"
import { accentColours } from "../../ui/controls/ColourTiles.tsx"
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

export type TemplateName = keyof typeof templates
export const templateNames = Object.keys(templates) as TemplateName[]

export const isTemplate = (name: string | undefined): name is TemplateName =>
  name !== undefined && Object.hasOwn(templates, name)

export const getTemplateAppearance = (name: TemplateName) => ({ ...templates[name], customImage: null })

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
