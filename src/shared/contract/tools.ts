import { z } from "zod"
import { json } from "./endpoint.ts"
import { record } from "./primitives.ts"
import { issue } from "./wrong.ts"

/** Tools of the box. `write`: the tool makes lasting changes, so `auto` asks before it runs. */
export const coreTools = {
  calculate: { name: "Calculator", description: "Arithmetic and unit conversions.", effect: "read" },
  webSearch: { name: "Web search", description: "Search the public web and read results.", effect: "read" },
  fetch: { name: "Fetch page", description: "Download and read a specific web page.", effect: "read" },
  getWeather: { name: "Weather", description: "Current conditions and forecast.", effect: "read" },
  addAReasoningStep: { name: "Reasoning", description: "Plan out loud before answering.", effect: "read" },
  memory: { name: "Memory", description: "Remember facts across conversations.", effect: "write" },
  assistant: { name: "Delegate", description: "Delegate a sub-task to another assistant.", effect: "read" },
  createWidget: {
    name: "Widgets",
    description: "Build interactive widgets inside the answer.",
    effect: "read",
  },
  plot: { name: "Charts", description: "Render charts from data.", effect: "read" },
  codeInterpreter: { name: "Python", description: "Run Python in a sandbox.", effect: "read" },
  filing: {
    name: "Filing",
    description: "Rename, move and tag files of a chat's folders, and write notes next to them.",
    effect: "write",
  },
} as const satisfies Record<string, ToolInfo>

/** The tool with which a model finds tools of connected accounts when there are too many to describe. */
export const finderName = "findTools"

/** The tools with which a model searches its chat's folders further. They are always available and can't be switched on. */
export const folderToolNames = ["searchFolder", "listFiles", "readFile", "queryTable"] as const
export const isFolderTool = (name: string): boolean => folderToolNames.some((each) => each === name)

/** The tools behind the key `filing` (docs/filing.md). */
export const filingToolNames = ["renameFile", "moveFile", "tagFile", "writeNote"] as const
export const isFilingTool = (name: string): boolean => filingToolNames.some((each) => each === name)

/** Integrations: these work after the account is connected. */
export const integrationTools = {
  int_gmail: { name: "Gmail", description: "Read and send mail with Gmail.", effect: "write" },
  int_outlookMail: { name: "Outlook Mail", description: "Read and send mail with Outlook.", effect: "write" },
  int_googleCalendar: { name: "Google Calendar", description: "Read and change events.", effect: "write" },
  int_outlookCalendar: { name: "Outlook Calendar", description: "Read and change events.", effect: "write" },
  int_asana: { name: "Asana", description: "Read and change tasks.", effect: "write" },
  int_jira: { name: "Jira", description: "Read and change issues.", effect: "write" },
  int_slack: { name: "Slack", description: "Read and post messages.", effect: "write" },
  int_notion: { name: "Notion", description: "Read and change pages.", effect: "write" },
  int_github: {
    name: "GitHub",
    description: "Read and change repositories, issues and pull requests.",
    effect: "write",
  },
  int_teams: { name: "Microsoft Teams", description: "Read and post messages.", effect: "write" },
  int_postgres: { name: "PostgreSQL", description: "Query a database.", effect: "write" },
  int_hubspot: { name: "HubSpot", description: "Read and change contacts and deals.", effect: "write" },
  int_stripe: { name: "Stripe", description: "Read and change customers and payments.", effect: "write" },
  int_shopify: { name: "Shopify", description: "Read and change products and orders.", effect: "write" },
} as const satisfies Record<string, ToolInfo>

interface ToolInfo {
  name: string
  description: string
  effect: "read" | "write"
}

const known = new Set([...Object.keys(coreTools), ...Object.keys(integrationTools)])

/** Key of a Model Context Protocol server that users added themselves. */
const ownServerKey = /^mcp_[a-zA-Z0-9_-]{1,60}$/

/** `{ <toolKey>: boolean }`; omitted keys are off, and unknown keys are refused by name. */
export const BuiltInTools = record(z.boolean()).superRefine((tools, context) => {
  for (const key of Object.keys(tools)) {
    if (!known.has(key) && !ownServerKey.test(key)) {
      context.addIssue({
        path: [key],
        ...issue("not_a_tool"),
      })
    }
  }
})

export const Tool = z
  .object({
    key: z.string().describe("Key in `builtInTools`."),
    name: z.string().describe("Display name, in English."),
    description: z.string().describe("What the tool does, in English."),
    group: z
      .enum(["core", "integration", "mcp"])
      .describe(
        "`core` for built-in tools, `integration` for the catalogue, `mcp` for MCP servers of the user.",
      ),
    effect: z.enum(["read", "write"]).describe("`read` if the tool changes nothing."),
    linked: z.boolean().describe("true if the tool can be used now. An integration must be connected first."),
  })
  .meta({ id: "Tool", description: "A tool that assistants can call." })
export type Tool = z.infer<typeof Tool>

export const tools = {
  list: json({
    method: "get",
    path: "/api/public/tools",
    summary: "List tools",
    description: "Returns the keys that `builtInTools` takes, and which tools work now.",
    scope: "assistants",
    output: z.object({ tools: z.array(Tool).describe("Tools that the caller's assistants can use.") }),
  }),
} as const
