import { z } from "zod"
import type { MessagePart } from "../../shared/contract/chat.ts"
import { finderName } from "../../shared/contract/tools.ts"
import { defineTool, type Tool } from "./tool.ts"

/** Maximum tools returned by one search. */
const maxFound = 5
/** Maximum characters of tool names in the tool's description, and in the reply when nothing matches. */
const namesAtFirst = 100
const namesInstead = 2_000

/** Returns the few tools that match the words best, best first. */
export type ToolSearch = (words: string) => Tool[]

/** `room` is the maximum number of tokens for the tools found, as counted by `getSize`. */
export function createFinder(
  hidden: readonly Tool[],
  search: ToolSearch,
  { room, getSize }: { room: number; getSize: (tool: Tool) => number },
): Tool {
  return defineTool({
    key: finderName,
    description: `Finds more functions, which you can call then: ${getNames(hidden, namesAtFirst)}.`,
    effects: ["read"],
    result: { trusted: false, private: false },
    args: z.object({
      query: z.string().trim().min(1).max(500).meta({ description: "What it should do, or its name" }),
    }),
    run({ query }) {
      let left = room
      const found = search(query).filter((tool, index) => (left -= getSize(tool)) >= 0 || index === 0)
      if (found.length > 0) return Promise.resolve({ content: { functions: found.map(describe) } })
      const message = `No function has these words in its name or description. There are: ${getNames(hidden, namesInstead)}.`
      return Promise.resolve({ content: { functions: [], message } })
    },
  })
}

/** Returns the names of the tools that were found in a chat. */
export function listFoundTools(parts: readonly MessagePart[]): string[] {
  const searches = new Set(
    parts.flatMap((part) =>
      part.type === "tool-call" && part.toolName === finderName ? [part.toolCallId] : [],
    ),
  )
  return parts.flatMap((part) => {
    if (part.type !== "tool-result" || !searches.has(part.toolCallId)) return []
    return Found.safeParse(part.result).data?.functions.map(({ name }) => name) ?? []
  })
}

const Found = z.object({ functions: z.array(z.object({ name: z.string() })) })

const describe = ({ name, description, parameters }: Tool) => ({ name, description, parameters })

/** Lists names up to `room` characters, taking each account and server in turn, and the number of remaining tools. */
function getNames(tools: readonly Tool[], room: number): string {
  const turns = new Map<Tool, number>()
  for (const own of Map.groupBy(tools, ({ key }) => key).values())
    for (const [turn, tool] of own.entries()) turns.set(tool, turn)
  let left = room
  const names = tools
    .toSorted((a, b) => (turns.get(a) ?? 0) - (turns.get(b) ?? 0))
    .map(({ name }) => name)
    .filter((name) => (left -= name.length + 2) >= 0)
  const rest = tools.length - names.length
  return [...names, ...(rest > 0 ? [`${rest} more`] : [])].join(", ")
}

/** Searches names and descriptions. Rare words weigh more, and words in a name weigh double. */
export function createToolSearch(tools: readonly Tool[]): ToolSearch {
  const entries = tools.map((tool) => ({
    tool,
    name: groupByPrefix(tool.name.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")),
    description: groupByPrefix(tool.description),
  }))
  return (words) => {
    const scores = new Map<Tool, number>()
    const add = (tool: Tool, score: number) => scores.set(tool, (scores.get(tool) ?? 0) + score)
    for (const word of getWords(words.slice(0, maxQueryLength))) {
      const hits = entries.flatMap(({ tool, name, description }) => {
        const weight = has(name, word) ? 2 : has(description, word) ? 1 : 0
        return weight > 0 ? [{ tool, weight }] : []
      })
      for (const { tool, weight } of hits) add(tool, weight * Math.log(1 + tools.length / hits.length))
    }
    for (const tool of tools) if (words.includes(tool.name)) add(tool, named)
    return [...scores]
      .sort(([, a], [, b]) => b - a)
      .slice(0, maxFound)
      .map(([tool]) => tool)
  }
}

/** Only this many characters of a query are used. */
const maxQueryLength = 1_000
/** A tool named in full ranks above any tool that only shares words. */
const named = 1_000

const minWordLength = 4
const prefixLength = 4
const maxSuffixLength = 3

type WordsByPrefix = ReadonlyMap<string, string[]>

const getWords = (text: string): Set<string> =>
  new Set((text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter(({ length }) => length >= minWordLength))

/** Groups words by their first letters, because words with different first letters are never alike. */
const groupByPrefix = (text: string): WordsByPrefix =>
  Map.groupBy(getWords(text), (word) => word.slice(0, prefixLength))

const has = (words: WordsByPrefix, word: string): boolean =>
  words.get(word.slice(0, prefixLength))?.some((other) => areAlike(word, other)) ?? false

/** Whether two words differ only in their endings: invoice, invoices; archive, archiving. */
function areAlike(one: string, other: string): boolean {
  let shared = 0
  while (shared < one.length && one[shared] === other[shared]) shared++
  const rest = Math.max(one.length, other.length) - shared
  return rest === 0 || (shared >= prefixLength && rest <= maxSuffixLength)
}
