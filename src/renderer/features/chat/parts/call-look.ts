import { t } from "i18next"
import {
  AppWindow,
  Bot,
  Brain,
  Calculator,
  ChartColumn,
  CloudSun,
  Globe,
  ListChecks,
  Search,
  SquareTerminal,
  Wrench,
  type LucideIcon,
} from "lucide-react"
import { coreTools } from "../../../../shared/contract/tools.ts"
import { visibleText } from "./visible-text.ts"

type CoreTool = keyof typeof coreTools

const icons: Record<CoreTool, LucideIcon> = {
  calculate: Calculator,
  webSearch: Search,
  fetch: Globe,
  getWeather: CloudSun,
  addAReasoningStep: ListChecks,
  memory: Brain,
  assistant: Bot,
  createWidget: AppWindow,
  plot: ChartColumn,
  codeInterpreter: SquareTerminal,
}

/** The argument that says what a call is about. */
const subjects: Partial<Record<CoreTool, string>> = {
  calculate: "expression",
  webSearch: "query",
  fetch: "url",
  getWeather: "place",
  addAReasoningStep: "title",
  memory: "text",
  assistant: "handle",
  createWidget: "title",
  plot: "title",
}

const longestSubject = 200

const isCoreTool = (name: string): name is CoreTool => Object.hasOwn(coreTools, name)

export const callIcon = (toolName: string): LucideIcon => (isCoreTool(toolName) ? icons[toolName] : Wrench)

/** What was done, in plain words: "Searched the web". */
export const callDone = (toolName: string): string =>
  isCoreTool(toolName) ? t(`tools:done.${toolName}`) : t("tools:done.other", { name: visibleText(toolName) })

/** What is wanted, as a question: "Search the web?". */
export const callWanted = (toolName: string): string =>
  isCoreTool(toolName)
    ? t(`tools:wanted.${toolName}`)
    : t("tools:wanted.other", { name: visibleText(toolName) })

/** What a call is about, in the model's words; empty when that can't be said in a line. */
export function callSubject(toolName: string, args: unknown): string {
  const name = isCoreTool(toolName) ? subjects[toolName] : undefined
  if (name === undefined || typeof args !== "object" || args === null) return ""
  const value = (args as Record<string, unknown>)[name]
  return typeof value === "string" ? visibleText(value.slice(0, longestSubject)) : ""
}
