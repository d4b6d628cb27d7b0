import type { Undo } from "../../../shared/contract/deletions.ts"
import { AppError, invalidField } from "../../../shared/contract/errors.ts"
import { paginate, type Page, type Pagination } from "../../../shared/contract/primitives.ts"
import type { Project, ProjectDraft, ProjectPatch } from "../../../shared/contract/projects.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { BegunTransaction, DbOf } from "../../core/database/database.ts"
import type { Deletable, NoteDeletion } from "../../core/deletable.ts"
import { newId, timestamp } from "../../core/ids.ts"
import { requireFolderScope, type Caller } from "../../http/caller.ts"
import { createProjectStore } from "./store.ts"

/** Of one person. */
const mostProjects = 1_000

export interface ProjectsDeps {
  db: DbOf<"projects">
  /** Those of the folders that don't exist or that the user may not search. */
  unusableFolders(userId: string, vectorIds: readonly string[]): Promise<string[]>
  isAssistant(userId: string, assistantId: string): Promise<boolean>
  noteDeletion: NoteDeletion
  /** The user's projects are others than before. */
  changed(userId: string): void
  /** Takes a project's chats out of it, or brings back those that it was taken from. */
  chats: {
    takeOut(transaction: BegunTransaction, projectId: string): Promise<void>
    bringBack(transaction: BegunTransaction, projectId: string): Promise<void>
    forget(projectId: string): Promise<void>
  }
}

type Editor = Pick<Caller, "userId" | "scopes">

/** Projects: nobody but their owner sees them. Deleting one keeps its chats. */
export interface Projects {
  list(userId: string, page: Page): Promise<{ projects: Project[]; pagination: Pagination }>
  /** Throws `not_found`. */
  read(userId: string, id: string): Promise<Project>
  /** The project with the folders that the user may search now; null where there is none. */
  find(userId: string, id: string): Promise<Project | null>
  /** Throws `forbidden` for folders that the caller may not search, `validation` for an assistant, `conflict` for too many. */
  create(caller: Editor, draft: ProjectDraft): Promise<Project>
  update(caller: Editor, id: string, patch: ProjectPatch): Promise<Project>
  remove(userId: string, id: string): Promise<Undo>
  readonly deletable: Deletable
}

export function createProjects({
  db,
  unusableFolders,
  isAssistant,
  noteDeletion,
  changed,
  chats,
}: ProjectsDeps): Projects {
  const store = createProjectStore(db)

  async function withUsable(userId: string, project: Project): Promise<Project> {
    if (project.vectorIds.length === 0) return project
    const gone = await unusableFolders(userId, project.vectorIds)
    return { ...project, vectorIds: project.vectorIds.filter((id) => !gone.includes(id)) }
  }

  async function requireAllowed(
    caller: Editor,
    { vectorIds, assistantId }: Pick<ProjectPatch, "vectorIds" | "assistantId">,
  ): Promise<void> {
    requireFolderScope(caller, vectorIds)
    const details = vectorIds ? await unusableFolders(caller.userId, vectorIds) : []
    if (details.length > 0)
      throw new AppError("forbidden", sentence("projects.folders_not_yours"), { details })
    if (assistantId && !(await isAssistant(caller.userId, assistantId)))
      throw invalidField("assistantId", sentence("projects.no_assistant"))
  }

  async function find(userId: string, id: string): Promise<Project | null> {
    const project = await store.find(userId, id)
    return project ? withUsable(userId, project) : null
  }

  return {
    async list(userId, page) {
      const { total, projects } = await store.list(userId, page)
      const usable: Project[] = []
      for (const project of projects) usable.push(await withUsable(userId, project))
      return { projects: usable, pagination: paginate(total, page, usable.length) }
    },

    find,

    async read(userId, id) {
      const project = await find(userId, id)
      if (!project) throw missing()
      return project
    },

    async create(caller, { name, instructions, vectorIds, assistantId }) {
      await requireAllowed(caller, { vectorIds, assistantId })
      const project: Project = {
        id: newId(),
        name,
        instructions: instructions ?? "",
        vectorIds: [...new Set(vectorIds)],
        assistantId: assistantId ?? null,
        createdAt: timestamp(),
      }
      if (!(await store.insert(caller.userId, project, mostProjects)))
        throw new AppError("conflict", sentence("projects.too_many", { count: mostProjects }))
      changed(caller.userId)
      return project
    },

    async update(caller, id, patch) {
      if (!(await store.find(caller.userId, id))) throw missing()
      await requireAllowed(caller, patch)
      const { name, instructions, vectorIds, assistantId } = patch
      const project = await store.update(caller.userId, id, {
        ...(name !== undefined && { name }),
        ...(instructions !== undefined && { instructions: instructions ?? "" }),
        ...(vectorIds !== undefined && { vectorIds: [...new Set(vectorIds)] }),
        ...(assistantId !== undefined && { assistantId }),
      })
      if (!project) throw missing()
      changed(caller.userId)
      return withUsable(caller.userId, project)
    },

    async remove(userId, id) {
      const undo = await db.transaction().execute(async (transaction) => {
        if (!(await store.mark(transaction, userId, id, true))) throw missing()
        await chats.takeOut(transaction, id)
        return noteDeletion(transaction, { ownerId: userId, kind: "project", itemId: id, kept: "{}" })
      })
      changed(userId)
      return undo
    },

    deletable: {
      async restore({ ownerId, itemId }, also) {
        await db.transaction().execute(async (transaction) => {
          await also(transaction)
          await store.mark(transaction, ownerId, itemId, false)
          await chats.bringBack(transaction, itemId)
        })
        changed(ownerId)
      },

      async end({ itemId }) {
        await chats.forget(itemId)
        await store.removeHidden(itemId)
      },
    },
  }
}

const missing = () => new AppError("not_found", sentence("projects.none_such"))
