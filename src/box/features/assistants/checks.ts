import type { AssistantPatch } from "../../../shared/contract/assistants.ts"
import { AppError, invalidField } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { requireFolderScope, type Caller } from "../../http/caller.ts"
import { isLinkedKey } from "../../tools/registry.ts"
import { storedFlags, storedIds, type AssistantRow } from "./store.ts"

/** The user who creates or edits an assistant, and their rights. */
export type AssistantEditor = Pick<Caller, "userId" | "scopes">

export interface CheckDeps {
  /** Returns those of the folders that don't exist or that the user may not search. */
  findUnusableFolders(userId: string, vectorIds: readonly string[]): Promise<string[]>
  /** Returns those of the tool keys that the user's box doesn't know. */
  unknownTools(userId: string, keys: readonly string[]): Promise<string[]>
  /** Whether a model with this id exists and may answer. */
  isModel(modelId: string): Promise<boolean>
}

/** Checks whether a user may save this: a new assistant, or a change of `before`. Throws if not. */
export function createChecks({ findUnusableFolders, unknownTools, isModel }: CheckDeps) {
  async function requireFolders(
    userId: string,
    vectorIds: readonly string[] | null | undefined,
  ): Promise<void> {
    if (!vectorIds || vectorIds.length === 0) return
    const details = await findUnusableFolders(userId, vectorIds)
    if (details.length === 0) return
    throw new AppError("forbidden", sentence("assistants.folders_not_yours"), {
      details,
    })
  }

  /** Users add and remove servers, so the contract can't list their keys. */
  async function requireTools(userId: string, flags: AssistantPatch["builtInTools"]): Promise<void> {
    const [unknown] = await unknownTools(userId, Object.keys(flags ?? {}))
    if (unknown === undefined) return
    throw invalidField(`builtInTools.${unknown}`, sentence("assistants.not_a_tool", { tool: unknown }))
  }

  return async function requireAllowed(
    editor: AssistantEditor,
    patch: AssistantPatch,
    before?: AssistantRow,
  ) {
    requireFolderScope(editor, patch.vectorIds)
    requireRightToShare(editor, patch, before)
    requireRightToWaive(
      editor,
      patch.permissionMode === "bypass" || (before !== undefined && changesBehaviour(before, patch)),
    )
    await requireFolders(editor.userId, patch.vectorIds)
    await requireTools(editor.userId, patch.builtInTools)
    if (patch.modelId != null && !(await isModel(patch.modelId)))
      throw invalidField("modelId", sentence("assistants.no_such_model"))
  }
}

/** Everyone who can see an assistant can read its folders and gets its accounts as tools. */
function requireRightToShare(editor: AssistantEditor, patch: AssistantPatch, before?: AssistantRow): void {
  const visibility = patch.visibility ?? before?.visibility ?? "PRIVATE"
  if (editor.scopes === null || visibility === "PRIVATE") return
  const widens = visibility !== before?.visibility
  const { vectorIds, builtInTools } = patch
  if (widens && before && vectorIds === undefined) requireFolderScope(editor, storedIds(before))
  const flags = widens && before && builtInTools === undefined ? storedFlags(before) : builtInTools
  if (Object.entries(flags ?? {}).some(([key, isOn]) => isOn && isLinkedKey(key)))
    throw new AppError("forbidden", sentence("http.full_rights_only"))
}

/** Throws `forbidden` if a key with scopes would let an assistant act without approvals. */
function requireRightToWaive({ scopes }: AssistantEditor, waives: boolean): void {
  if (!waives || scopes === null) return
  throw new AppError("forbidden", sentence("assistants.not_without_asking"))
}

/** Whether an assistant that stays in `bypass` gets other instructions, tools, folders or another model. */
const changesBehaviour = (
  { permissionMode: mode }: AssistantRow,
  { permissionMode, instructions, builtInTools, vectorIds, modelId }: AssistantPatch,
): boolean =>
  mode === "bypass" &&
  permissionMode === undefined &&
  [instructions, builtInTools, vectorIds, modelId].some((change) => change !== undefined)
