import { t } from "i18next"
import { coreTools, integrationTools, type Tool } from "../../../shared/contract/tools.ts"

/** A tool's name and description in the page's language. */
export function wording(tool: Tool): { name: string; description: string } {
  if (isCore(tool.key)) {
    return {
      name: t(`assistants:tool.${tool.key}.name`),
      description: t(`assistants:tool.${tool.key}.description`),
    }
  }
  if (isIntegration(tool.key))
    return { name: tool.name, description: t(`assistants:integration.${tool.key}`) }
  return { name: tool.name, description: t("assistants:tools.ofServer", { name: tool.name }) }
}

const isCore = (key: string): key is keyof typeof coreTools => Object.hasOwn(coreTools, key)
const isIntegration = (key: string): key is keyof typeof integrationTools =>
  Object.hasOwn(integrationTools, key)
