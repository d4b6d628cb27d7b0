import {
  coreTools,
  finderName,
  integrationTools,
  isFilingTool,
  isFolderTool,
  type Tool as ToolEntry,
} from "../../shared/contract/tools.ts"
import type { Tool } from "./tool.ts"

/** Access to connected accounts and to the MCP servers that users added. */
export interface Integrations {
  /** Returns the tools of those keys that are connected for the user. */
  tools(userId: string, keys: readonly string[]): Promise<Tool[]>
  /** Returns the integration keys of the user's connected accounts. */
  linked(userId: string): Promise<ReadonlySet<string>>
  /** Returns the MCP servers that the user added, each with the key `mcp_<name>`. */
  servers(userId: string): Promise<ToolEntry[]>
}

export interface ToolboxOptions {
  /** The box's own tools by key; several tools may share a key. */
  core: readonly Tool[]
  integrations: Integrations
}

/** A tool that is switched on but can't be used. */
export interface MissingTool {
  name: string
  reason: string
}

/** The tools of the box and of its users' accounts. */
export interface Toolbox {
  /** Returns the tools that are switched on for a user, in a constant order, and those of them that can't be used now. */
  switchedOn(
    userId: string,
    builtInTools: Readonly<Record<string, boolean>>,
  ): Promise<{ tools: Tool[]; missing: MissingTool[] }>
  /** Returns every key that this user may set in `builtInTools`, and whether it can be used now. */
  list(userId: string): Promise<ToolEntry[]>
  /** Returns the keys that aren't in the list. */
  unknown(userId: string, keys: readonly string[]): Promise<string[]>
}

export const memoryKey = "memory"

/** Delegation needs the turn loop, so chat creates that tool itself. */
export const delegationKey = "assistant"

/** No integrations: no account is connected. */
export const noIntegrations: Integrations = {
  tools: () => Promise.resolve([]),
  linked: () => Promise.resolve(new Set()),
  servers: () => Promise.resolve([]),
}

const notLinked =
  "the account isn't linked, or its functions are switched off; its owner can change that under Settings, Integrations"
const notBuiltIn = "this version of Casella doesn't have it"

export function createToolbox({ core, integrations }: ToolboxOptions): Toolbox {
  const byKey = Map.groupBy(core, ({ key }) => key)

  /** Returns why a built-in tool can't be used, or null if it can. */
  async function findObstacle(key: string): Promise<string | null> {
    if (key === delegationKey) return null
    const tool = byKey.get(key)?.[0]
    return tool === undefined ? notBuiltIn : ((await tool.unusable?.()) ?? null)
  }

  return {
    async switchedOn(userId, builtInTools) {
      const isOn = (key: string) => builtInTools[key] === true
      const tools: Tool[] = []
      const missing: MissingTool[] = []
      for (const [key, { name }] of Object.entries(coreTools)) {
        if (!isOn(key)) continue
        const reason = await findObstacle(key)
        if (reason !== null) missing.push({ name, reason })
        else tools.push(...(byKey.get(key) ?? []))
      }
      const others = Object.keys(builtInTools)
        .filter((key) => isOn(key) && !Object.hasOwn(coreTools, key))
        .sort()
      const linked = others.length > 0 ? await integrations.tools(userId, others) : []
      for (const key of others) {
        const own = linked
          .filter((tool) => tool.key === key && !isReserved(tool.name))
          .sort((a, b) => (a.name < b.name ? -1 : 1))
        const reason = own[0] === undefined ? notLinked : ((await own[0].unusable?.()) ?? null)
        if (reason === null) tools.push(...own)
        else missing.push({ name: getName(key), reason })
      }
      return { tools, missing }
    },

    async list(userId) {
      const [linked, servers] = await Promise.all([integrations.linked(userId), integrations.servers(userId)])
      const own = Object.entries(coreTools).map(async ([key, tool]): Promise<ToolEntry> => ({
        key,
        ...tool,
        group: "core",
        linked: (await findObstacle(key)) === null,
      }))
      const accounts = Object.entries(integrationTools).map(([key, tool]): ToolEntry => ({
        key,
        ...tool,
        group: "integration",
        linked: linked.has(key),
      }))
      return [...(await Promise.all(own)), ...accounts, ...servers]
    },

    async unknown(userId, keys) {
      const others = keys.filter(
        (key) => !Object.hasOwn(coreTools, key) && !Object.hasOwn(integrationTools, key),
      )
      if (others.length === 0) return []
      const servers = new Set((await integrations.servers(userId)).map(({ key }) => key))
      return others.filter((key) => !servers.has(key))
    },
  }
}

/** A permission for a built-in tool must never apply to another tool with the same name. */
const isReserved = (name: string) =>
  Object.hasOwn(coreTools, name) || name === finderName || isFolderTool(name) || isFilingTool(name)

/** The tool belongs to an account or a server, which also wrote its description. */
export const isLinkedKey = (key: string) => key.startsWith("int_") || key.startsWith("mcp_")
export const isLinked = ({ key }: Tool) => isLinkedKey(key)

function getName(key: string): string {
  return Object.hasOwn(integrationTools, key)
    ? integrationTools[key as keyof typeof integrationTools].name
    : key
}
