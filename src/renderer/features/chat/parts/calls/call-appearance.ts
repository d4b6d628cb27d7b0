import { t } from "i18next"
import {
  AppWindow,
  Blocks,
  BookOpen,
  Bot,
  Brain,
  Calculator,
  ChartColumn,
  CloudSun,
  Files,
  FolderSearch,
  Globe,
  ListChecks,
  Search,
  SquareTerminal,
  Table2,
  Wrench,
  type LucideIcon,
} from "lucide-react"
import type {
  coreTools,
  filingToolNames,
  finderName,
  folderToolNames,
} from "../../../../../shared/contract/tools.ts"
import { isDenied, type CallStep } from "../arrange-parts.ts"
import { visibleText } from "../../../../lib/words/visible-text.ts"

type OwnTool =
  | Exclude<keyof typeof coreTools, "filing">
  | typeof finderName
  | (typeof folderToolNames)[number]
  | (typeof filingToolNames)[number]

const icons: Record<OwnTool, LucideIcon> = {
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
  findTools: Blocks,
  searchFolder: FolderSearch,
  listFiles: Files,
  readFile: BookOpen,
  queryTable: Table2,
  renameFile: Files,
  moveFile: FolderSearch,
  tagFile: ListChecks,
  writeNote: BookOpen,
}

/** The argument that describes each tool's call. */
const subjects: Partial<Record<OwnTool, string>> = {
  calculate: "expression",
  webSearch: "query",
  fetch: "url",
  getWeather: "place",
  addAReasoningStep: "title",
  memory: "text",
  assistant: "handle",
  createWidget: "title",
  plot: "title",
  findTools: "query",
  searchFolder: "query",
  listFiles: "query",
  queryTable: "sql",
  renameFile: "name",
  moveFile: "folder",
  tagFile: "file",
  writeNote: "file",
}

const maxSubjectLength = 200

const isOwnTool = (name: string): name is OwnTool => Object.hasOwn(icons, name)

export const callIcon = (toolName: string): LucideIcon => (isOwnTool(toolName) ? icons[toolName] : Wrench)

/** Describes what was done in plain words: "Searched the web". */
const callDone = (toolName: string): string =>
  isOwnTool(toolName) ? t(`tools:done.${toolName}`) : t("tools:done.other", { name: visibleText(toolName) })

/** Phrases the call as a question: "Search the web?". */
export function callWanted(toolName: string, args: unknown): string {
  if (!isOwnTool(toolName)) return t("tools:wanted.other", { name: visibleText(toolName) })
  const change = toolName === "memory" ? memoryChange(args) : undefined
  return t(`tools:wanted.${change ?? toolName}`)
}

/** Returns what the call would do to memories, or undefined for an invalid action. */
export function memoryChange(args: unknown): "remember" | "forget" | undefined {
  const { action } = ((typeof args === "object" ? args : null) as { action?: unknown }) ?? {}
  return action === "remember" || action === "forget" ? action : undefined
}

/** Describes what was done, or, if the user denied it, what was requested. */
export const callTitle = (step: CallStep): string =>
  isDenied(step) ? callWanted(step.call.toolName, step.call.args) : callDone(step.call.toolName)

/** Describes a call in the model's words; empty if that doesn't fit in a line. */
export function callSubject(toolName: string, args: unknown): string {
  const name = isOwnTool(toolName) ? subjects[toolName] : undefined
  if (name === undefined || typeof args !== "object" || args === null) return ""
  const value = (args as Record<string, unknown>)[name]
  return typeof value === "string" ? visibleText(value.slice(0, maxSubjectLength)) : ""
}
