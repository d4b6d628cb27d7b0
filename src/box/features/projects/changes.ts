import { AppError, invalidField } from "../../../shared/contract/errors.ts"
import type { PermissionMode } from "../../../shared/contract/assistants.ts"
import type { Project, ProjectDraft, ProjectPatch } from "../../../shared/contract/projects.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { newId, timestamp } from "../../core/ids.ts"
import { hasFullRights, requireFolderScope, requireFullRights, type Caller } from "../../http/caller.ts"
import { projectNotFound, type ProjectStore } from "./store.ts"

/** Maximum number of projects per person. */
const maxProjects = 1_000

export interface ProjectChangesDeps {
  /** The folders among these that don't exist or that the user may not search. */
  findUnusableFolders(userId: string, vectorIds: readonly string[]): Promise<string[]>
  /** The assistant, if the user may use it now. */
  assistant(
    userId: string,
    id: string | null,
  ): Promise<{ owned: boolean; permissionMode: PermissionMode } | null>
  /** Called when the user's projects have changed. */
  changed(userId: string): void
}

interface WithStore extends ProjectChangesDeps {
  store: ProjectStore
  /** The project with the folders that the user may currently search. */
  limitToUsableFolders(userId: string, project: Project): Promise<Project>
}

type Editor = Pick<Caller, "userId" | "scopes" | "isUnconfirmed">

export interface ProjectChanges {
  /**
   * Throws `forbidden` for folders that the caller may not search, and for a key without full rights if an assistant in `bypass` mode would follow
   * the instructions. Throws `validation` for an unusable assistant, and `conflict` if there are too many projects.
   */
  create(caller: Editor, draft: ProjectDraft): Promise<Project>
  update(caller: Editor, id: string, patch: ProjectPatch): Promise<Project>
}

/** Creates and changes projects; loaded with the first such request. */
export function createProjectChanges({
  store,
  findUnusableFolders,
  assistant,
  changed,
  limitToUsableFolders,
}: WithStore): ProjectChanges {
  async function requireAllowed(caller: Editor, patch: ProjectPatch, before: Project | null): Promise<void> {
    const { vectorIds, assistantId } = patch
    requireFolderScope(caller, vectorIds)
    const next = await assistant(caller.userId, assistantId ?? null)
    if (!hasFullRights(caller) && changesGiven(patch)) {
      const previous = await assistant(caller.userId, before?.assistantId ?? null)
      if ([previous, next].some((each) => each?.owned === true && each.permissionMode === "bypass"))
        requireFullRights(caller, sentence("assistants.not_without_asking"))
    }
    const details = vectorIds ? await findUnusableFolders(caller.userId, vectorIds) : []
    if (details.length > 0)
      throw new AppError("forbidden", sentence("projects.folders_not_yours"), { details })
    if (assistantId && next === null) throw invalidField("assistantId", sentence("projects.no_assistant"))
  }

  return {
    async create(caller, draft) {
      await requireAllowed(caller, draft, null)
      const { name, instructions, vectorIds, assistantId } = draft
      const project: Project = {
        id: newId(),
        name,
        instructions: instructions ?? "",
        vectorIds: [...new Set(vectorIds)],
        assistantId: assistantId ?? null,
        createdAt: timestamp(),
        ...(!hasFullRights(caller) && changesGiven(draft) && { writtenByScopedKey: true }),
      }
      if (!(await store.insert(caller.userId, project, maxProjects)))
        throw new AppError("conflict", sentence("projects.too_many", { count: maxProjects }))
      changed(caller.userId)
      return project
    },

    async update(caller, id, patch) {
      const before = await store.find(caller.userId, id)
      if (!before) throw projectNotFound()
      await requireAllowed(caller, patch, before)
      const { name, instructions, vectorIds, assistantId } = patch
      const project = await store.update(caller.userId, id, {
        ...(name !== undefined && { name }),
        ...(instructions !== undefined && { instructions: instructions ?? "" }),
        ...(vectorIds !== undefined && { vectorIds: [...new Set(vectorIds)] }),
        ...(assistantId !== undefined && { assistantId }),
        ...getWriter(caller, patch),
      })
      if (!project) throw projectNotFound()
      changed(caller.userId)
      return limitToUsableFolders(caller.userId, project)
    },
  }
}

/** Whether a patch changes the settings that a project passes to its chats. */
const changesGiven = ({ instructions, vectorIds, assistantId }: ProjectPatch): boolean =>
  [instructions, vectorIds, assistantId].some((change) => change !== undefined)

/** A key without full rights marks the project. Only someone with full rights who sets the instructions and the assistant removes the mark. */
function getWriter(editor: Editor, patch: ProjectPatch): { writtenByScopedKey?: boolean } {
  if (!hasFullRights(editor)) return changesGiven(patch) ? { writtenByScopedKey: true } : {}
  const isWhole = patch.instructions !== undefined && patch.assistantId !== undefined
  return isWhole ? { writtenByScopedKey: false } : {}
}
