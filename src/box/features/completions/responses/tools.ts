import { z } from "zod"
import { jsonObject } from "../../../../shared/contract/primitives.ts"
import type { EngineFunction } from "../../../engines/engine.ts"
import { functionName } from "../../../tools/mcp/function-name.ts"
import { FunctionName } from "../function-tools.ts"
import { given } from "../generate-request.ts"

/** The tools of a Responses request: functions, function groups, and others that only OpenAI or its own programs can run. */

const FunctionTool = z.object({
  type: z.literal("function", "only function tools are supported"),
  name: FunctionName,
  description: z.string().nullish(),
  parameters: jsonObject().nullish(),
  strict: z.boolean().nullish(),
})

const Other = z.object({ type: z.literal("other") })

/** Tools other than functions aren't offered to any model: clients send them next to their own and can do without them. */
const otherThan = <T extends z.ZodType>(types: readonly string[], tool: T) =>
  z.preprocess(
    (value) =>
      typeof value === "object" &&
      value !== null &&
      "type" in value &&
      typeof value.type === "string" &&
      !types.includes(value.type)
        ? { type: "other" }
        : value,
    tool,
  )

const unsupported = "only function tools are supported"
const most = 128
const tooMany = `must hold at most ${most} tools`

const Group = z.object({
  type: z.literal("namespace"),
  name: FunctionName,
  description: z.string().nullish(),
  tools: z
    .array(otherThan(["function"], z.discriminatedUnion("type", [FunctionTool, Other], unsupported)))
    .max(most, tooMany),
})

export const Tools = z
  .array(
    otherThan(
      ["function", "namespace"],
      z.discriminatedUnion("type", [FunctionTool, Group, Other], unsupported),
    ),
  )
  .max(most, tooMany)
export type Tools = z.output<typeof Tools>

/** A function as it is offered to the model. */
export interface OfferedFunction {
  /** The name that the model uses. */
  name: string
  /** The name that the caller uses, with the group if there is one. */
  called: { name: string; namespace?: string }
  offered: EngineFunction
  /** Its path in the request. */
  path: (string | number)[]
}

/** Returns all functions of a request. A group's description is added to its first function. */
export function getFunctions(tools: Tools | null | undefined): OfferedFunction[] {
  return (tools ?? []).flatMap((tool, index) => {
    const path = ["tools", index]
    if (tool.type === "other") return []
    if (tool.type === "function") return [toOffered(tool, path)]
    return tool.tools
      .flatMap((each, place) =>
        each.type === "function" ? [toOffered(each, [...path, "tools", place], tool.name)] : [],
      )
      .map((each, place) => (place === 0 && tool.description ? introduced(each, tool.description) : each))
  })
}

/** Returns the model's name for a function in a group. */
export const nameInGroup = (name: string, namespace: string | null | undefined): string =>
  namespace ? functionName(namespace, name) : name

/** Returns the tools that the model was offered, in the format of the request. */
export const omitOtherTools = (tools: Tools): Tools => tools.filter(({ type }) => type !== "other")

function toOffered(
  { name, description, parameters, strict }: z.output<typeof FunctionTool>,
  path: (string | number)[],
  namespace?: string,
): OfferedFunction {
  const offered = nameInGroup(name, namespace)
  return {
    name: offered,
    called: { name, ...given("namespace", namespace) },
    path,
    offered: {
      name: offered,
      ...given("description", description),
      ...given("parameters", parameters),
      ...given("strict", strict),
    },
  }
}

function introduced(first: OfferedFunction, words: string): OfferedFunction {
  const { description } = first.offered
  return {
    ...first,
    offered: { ...first.offered, description: description ? `${words}\n\n${description}` : words },
  }
}
