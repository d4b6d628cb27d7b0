import { z } from "zod"
import type { GeneratedFiles } from "../core/files/generated-files.ts"
import { lazy } from "../core/lazy.ts"
import { AppError } from "../../shared/contract/errors.ts"
import type { Sentence } from "../../shared/sentences/sentence.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import type { Chart } from "../../shared/contract/charts.ts"
import type { Source } from "../../shared/contract/chat.ts"

/**
 * What a call does besides answering: `read` looks at what the box holds or computes, `write` changes something that
 * lasts, `egress` sends something out of the machine, `exec` runs code. A tool without any is never run.
 */
export type ToolEffect = "read" | "write" | "egress" | "exec"

/** Where a piece of the model's context comes from: who wrote it, and whether it is somebody's own. */
export interface ContextLabel {
  trusted: boolean
  private: boolean
}

export interface ToolContext {
  userId: string
  chatId: string
  /** Of the answer that makes the call, its tasks' calls too; the same where it goes on after it waited. */
  messageId: string
  /** Of one answer, each call has another one. */
  toolCallId: string
  /** Author of this answer, for files that its tools create in folders. */
  author?: { assistantId: string | null; modelId: string | null }
  /** Folders that this answer searches. Who asks needn't have access to all of them. */
  folderIds: readonly string[]
  /** Files written by a model that the answer may read in them, as well as those that a folder includes. */
  generated: GeneratedFiles
  /** Whether what the conversation has read stays on this computer: nothing of it may be kept where a model elsewhere reads it. */
  staysHere(): Promise<boolean>
  /** Aborted when the answer is stopped or its time is over: the tool ends everything that it started. */
  signal: AbortSignal
}

export interface ProposalContext extends Pick<
  ToolContext,
  "userId" | "chatId" | "toolCallId" | "folderIds" | "staysHere"
> {
  /** Somebody is asked; otherwise nobody may be, and it is only told. */
  isAsked: boolean
}

export interface Proposal {
  /** Takes the place of the reason for asking; left out where the arguments say it all. */
  says?: Sentence
  /** To call it with once it is allowed: ids instead of names, which may be something else's by then. */
  args: unknown
}

/** Something a tool puts into the answer, beside what the model reads. */
export type ToolPart =
  | { type: "widget"; title: string; html: string }
  | { type: "chart"; chart: Chart }
  | MadeFile
  | StoredFile
  /** What the answer may cite. */
  | ({ type: "source" } & Source)

export interface MadeFile {
  type: "file"
  name: string
  mediaType: string
  bytes: Uint8Array
}

/** A file that lies with the chat already: a task that was delegated made it. */
export interface StoredFile {
  type: "file"
  fileId: string
  name: string
  mediaType: string
  /** Bytes. */
  size: number
}

export interface ToolResult {
  /** What the model reads: text, or a value that becomes JSON. The turn cuts what is too long and says so. */
  content: unknown
  parts?: ToolPart[]
  /** What this result rests on; that of all its results (`Tool.result`) unless given. */
  labels?: readonly ContextLabel[]
  /** Names of tools whose calls were refused to a delegated task because nobody may be asked. */
  refused?: string[]
}

/** One function that a model may call. */
export interface Tool {
  /** Key of `builtInTools` that switches it on; an integration has one key for many functions. */
  key: string
  /** The function's name, as the model sees it: letters, digits, `_` and `-`, at most 64. */
  name: string
  /** For the model: what it does and when to call it. Untrusted where an integration wrote it. */
  description: string
  /**
   * Of a function that another one may come in the place of, under the same name: it is another one then, and what was
   * allowed before doesn't hold for it.
   */
  identity?: string
  /** Of a call with these arguments, which `check` found to fit. */
  effects(args: unknown): readonly ToolEffect[]
  /** Of what it answers. */
  result: ContextLabel
  /** Of one result, as it was given or as it was stored, where that is another one; null where it isn't. */
  labelOf?(content: unknown): ContextLabel | null
  /** JSON Schema of the arguments object. */
  parameters: Record<string, unknown>
  /** Why it can't be used now, in a sentence for a person; null when it can. Always usable where left out. */
  unusable?(): string | null | Promise<string | null>
  /** Throws AppError `validation` for bad arguments, so that nobody is asked to approve a call that can't run. */
  check?(args: unknown): void
  /** What a call would do, for whoever is asked about it. Throws as `run` does for what can't be done. */
  proposal?(args: unknown, context: ProposalContext): Promise<Proposal>
  /** Addresses that a call would ask for; policy lets only those pass unasked that the user or a search named. */
  addresses?(args: unknown): string[]
  /**
   * Runs one call. Throws AppError `validation` for bad arguments, saying what is wrong, and any AppError for what
   * failed: the model is told its message. Anything else thrown is a fault of ours: it is logged and hidden.
   */
  run(args: unknown, context: ToolContext): Promise<ToolResult>
}

export interface ToolDefinition<Args> extends Pick<
  Tool,
  "key" | "description" | "result" | "labelOf" | "unusable"
> {
  /** Of each call, or told by its arguments. */
  effects: readonly ToolEffect[] | ((args: Args) => readonly ToolEffect[])
  /** Where a key has several functions; else it is the key. */
  name?: string
  args: z.ZodType<Args>
  /** Arguments of calls with what `proposal` adds, which models don't see. */
  proposedArgs?: z.ZodType<Args>
  proposal?(args: Args, context: ProposalContext): Promise<Proposal>
  addresses?(args: Args): string[]
  run(args: Args, context: ToolContext): Promise<ToolResult>
}

/** They guard against what no model writes by mistake, and each would cost tokens in every prompt. */
function withoutUpperBounds({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  delete jsonSchema.maxLength
  delete jsonSchema.maxItems
}

/** A tool of the box's own, whose arguments are checked before it runs. */
export function defineTool<Args>(definition: ToolDefinition<Args>): Tool {
  const { key, name = key, description, effects, result, labelOf, unusable } = definition
  const { args: schema, proposedArgs = schema, proposal, addresses, run } = definition
  const parameters = lazy(() => {
    const { $schema: _, ...described } = z.toJSONSchema(schema, { io: "input", override: withoutUpperBounds })
    return described
  })
  const parse = (args: unknown): Args => {
    const parsed = proposedArgs.safeParse(args)
    if (parsed.success) return parsed.data
    throw new AppError(
      "validation",
      sentence("tools.arguments_unfit", { what: z.prettifyError(parsed.error) }),
    )
  }
  return {
    key,
    name,
    description,
    effects: (args) => (typeof effects === "function" ? effects(parse(args)) : effects),
    result,
    get parameters() {
      return parameters()
    },
    ...(labelOf && { labelOf }),
    ...(unusable && { unusable }),
    check: (args) => void parse(args),
    ...(proposal && { proposal: async (args, context) => proposal(parse(args), context) }),
    ...(addresses && { addresses: (args) => addresses(parse(args)) }),
    run: async (args, context) => run(parse(args), context),
  }
}
