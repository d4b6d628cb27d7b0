import { z } from "zod"
import type { FileFilter } from "../../shared/contract/file-filter.ts"
import type { GeneratedFiles } from "../core/files/generated-files.ts"
import { lazy } from "../core/lazy.ts"
import { AppError } from "../../shared/contract/errors.ts"
import type { Sentence } from "../../shared/sentences/sentence.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import type { Chart } from "../../shared/contract/charts.ts"
import type { Source } from "../../shared/contract/chat.ts"

/**
 * A call's effects apart from its result: `read` reads what the box stores or computes, `write` changes something permanently, `egress`
 * sends something off the machine, `exec` runs code. A tool without any effect never runs.
 */
export type ToolEffect = "read" | "write" | "egress" | "exec"

/** The origin of a piece of the model's context: whether its author is trusted, and whether it is private. */
export interface ContextLabel {
  trusted: boolean
  private: boolean
}

export interface ToolContext {
  userId: string
  chatId: string
  /** ID of the answer that makes the call, also for calls of its tasks. It stays the same when the answer resumes after waiting. */
  messageId: string
  /** Unique within one answer. */
  toolCallId: string
  /** Author of this answer, recorded for files that its tools create in folders. */
  author?: { assistantId: string | null; modelId: string | null }
  /** Folders that this answer searches. The user who asks may not have access to all of them. */
  folderIds: readonly string[]
  /** Model-written files in the folders that the answer may read, in addition to those that a folder includes. */
  generated: GeneratedFiles
  /** Narrows the files of the folders that the answer may read, apart from attachments; null: none. */
  filter?: FileFilter | null
  /** Whether the content read in the chat stays on this computer. If so, none of it may be stored where a remote model reads it. */
  staysHere(): Promise<boolean>
  /** Aborted when the answer is stopped or times out. The tool must then end everything it started. */
  signal: AbortSignal
}

export interface ProposalContext extends Pick<
  ToolContext,
  "userId" | "chatId" | "toolCallId" | "folderIds" | "staysHere"
> {
  /** Whether someone is asked; otherwise the proposal is only for information. */
  isAsked: boolean
}

export interface Proposal {
  /** Replaces the reason for asking. Left out if the arguments say it all. */
  summary?: Sentence
  /**
   * Arguments to call the tool with after approval. They contain IDs instead of names, because a name may refer to something else by then.
   */
  args: unknown
}

/** Something a tool adds to the answer, in addition to what the model reads. */
export type ToolPart =
  | { type: "widget"; title: string; html: string }
  | { type: "chart"; chart: Chart }
  | MadeFile
  | StoredFile
  /** A source that the answer may cite. */
  | ({ type: "source" } & Source)

export interface MadeFile {
  type: "file"
  name: string
  mediaType: string
  bytes: Uint8Array
}

/** A file created by a delegated task, which is already stored with the chat. */
export interface StoredFile {
  type: "file"
  fileId: string
  name: string
  mediaType: string
  /** Bytes. */
  size: number
}

export interface ToolResult {
  /** The content that the model reads: text, or a value that becomes JSON. The turn shortens content that is too long and says so. */
  content: unknown
  parts?: ToolPart[]
  /** Origins of this result. Default: that of all the tool's results (`Tool.result`). */
  labels?: readonly ContextLabel[]
  /** Names of tools that a delegated task was refused because no one may be asked. */
  refused?: string[]
}

/** One tool that a model may call. */
export interface Tool {
  /** The `builtInTools` key that switches the tool on. An integration has one key for many tools. */
  key: string
  /** The tool's name, as the model sees it: letters, digits, `_` and `-`, at most 64. */
  name: string
  /** Describes to the model what the tool does and when to call it. Untrusted if an integration wrote it. */
  description: string
  /**
   * Identifies a tool that another tool may replace under the same name. The replacement has another identity, so earlier permissions don't
   * apply to it.
   */
  identity?: string
  /** Returns the effects of a call with these arguments, which have passed `check`. */
  effects(args: unknown): readonly ToolEffect[]
  /** Label of the tool's results. */
  result: ContextLabel
  /** Returns the label of one new or stored result if it differs from `result`; otherwise null. */
  getLabel?(content: unknown): ContextLabel | null
  /** JSON Schema of the arguments object. */
  parameters: Record<string, unknown>
  /** Returns why the tool can't be used now, as a sentence for the user, or null if it can. If left out, the tool is always usable. */
  unusable?(): string | null | Promise<string | null>
  /** Throws AppError `validation` for bad arguments, so that no one has to approve a call that can't run. */
  check?(args: unknown): void
  /** Describes what a call would do, for the person asked to approve it. Throws the same errors as `run` if it can't be done. */
  proposal?(args: unknown, context: ProposalContext): Promise<Proposal>
  /** Returns the addresses that a call would request. The policy allows only those named by the user or a search without approval. */
  addresses?(args: unknown): string[]
  /**
   * Runs one call. Throws AppError `validation` that explains bad arguments, and any AppError for a failure: the model gets its message.
   * Any other error is a bug, which is logged and hidden.
   */
  run(args: unknown, context: ToolContext): Promise<ToolResult>
}

export interface ToolDefinition<Args> extends Pick<
  Tool,
  "key" | "description" | "result" | "getLabel" | "unusable"
> {
  /** Effects of every call, or computed from the arguments. */
  effects: readonly ToolEffect[] | ((args: Args) => readonly ToolEffect[])
  /** Set if a key has several tools. Default: the key. */
  name?: string
  args: z.ZodType<Args>
  /** Schema of the arguments with what `proposal` adds, which models don't see. */
  proposedArgs?: z.ZodType<Args>
  proposal?(args: Args, context: ProposalContext): Promise<Proposal>
  addresses?(args: Args): string[]
  run(args: Args, context: ToolContext): Promise<ToolResult>
}

/** Upper bounds prevent errors that no model makes by mistake, and each would cost tokens in every prompt. */
function removeUpperBounds({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  delete jsonSchema.maxLength
  delete jsonSchema.maxItems
}

/** Defines a built-in tool, whose arguments are validated before it runs. */
export function defineTool<Args>(definition: ToolDefinition<Args>): Tool {
  const { key, name = key, description, effects, result, getLabel, unusable } = definition
  const { args: schema, proposedArgs = schema, proposal, addresses, run } = definition
  const parameters = lazy(() => {
    const { $schema: _, ...described } = z.toJSONSchema(schema, { io: "input", override: removeUpperBounds })
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
    ...(getLabel && { getLabel }),
    ...(unusable && { unusable }),
    check: (args) => void parse(args),
    ...(proposal && { proposal: async (args, context) => proposal(parse(args), context) }),
    ...(addresses && { addresses: (args) => addresses(parse(args)) }),
    run: async (args, context) => run(parse(args), context),
  }
}
