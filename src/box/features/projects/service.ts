import type { api } from "../../../shared/contract/api.ts"
import type { Undo } from "../../../shared/contract/deletions.ts"
import { paginate, type Page, type Pagination } from "../../../shared/contract/primitives.ts"
import type { Project } from "../../../shared/contract/projects.ts"
import type { AnyTransaction, DbOf } from "../../core/database/database.ts"
import type { Deletable, NoteDeletion } from "../../core/deletable.ts"
import { lazy } from "../../core/lazy.ts"
import type { Handlers } from "../../http/serve.ts"
import type { ProjectChanges, ProjectChangesDeps } from "./changes.ts"
import { createProjectStore, projectNotFound } from "./store.ts"

interface ProjectsDeps extends ProjectChangesDeps {
  db: DbOf<"projects">
  noteDeletion: NoteDeletion
  /** Removes a project's chats from it, or returns those that were removed. */
  chats: {
    takeOut(transaction: AnyTransaction, projectId: string): Promise<void>
    restoreOfProject(transaction: AnyTransaction, projectId: string): Promise<void>
    forget(projectId: string): Promise<void>
  }
}

/** Projects, which only their owner can see. Deleting a project keeps its chats. */
interface Projects extends ProjectChanges {
  list(userId: string, page: Page): Promise<{ projects: Project[]; pagination: Pagination }>
  /** Throws `not_found`. */
  read(userId: string, id: string): Promise<Project>
  /** The project with the folders that the user may currently search; null if there is none. */
  find(userId: string, id: string): Promise<Project | null>
  remove(userId: string, id: string): Promise<Undo>
  readonly deletable: Deletable
}

export function createProjects(deps: ProjectsDeps): Projects {
  const { db, findUnusableFolders, noteDeletion, changed, chats } = deps
  const store = createProjectStore(db)
  const changes = lazy(async () =>
    (await import("./changes.ts")).createProjectChanges({ ...deps, store, limitToUsableFolders }),
  )

  async function limitToUsableFolders(userId: string, project: Project): Promise<Project> {
    if (project.vectorIds.length === 0) return project
    const gone = await findUnusableFolders(userId, project.vectorIds)
    return { ...project, vectorIds: project.vectorIds.filter((id) => !gone.includes(id)) }
  }

  async function find(userId: string, id: string): Promise<Project | null> {
    const project = await store.find(userId, id)
    return project ? limitToUsableFolders(userId, project) : null
  }

  return {
    async list(userId, page) {
      const { total, projects } = await store.list(userId, page)
      const usable: Project[] = []
      for (const project of projects) usable.push(await limitToUsableFolders(userId, project))
      return { projects: usable, pagination: paginate(total, page, usable.length) }
    },

    find,

    async read(userId, id) {
      const project = await find(userId, id)
      if (!project) throw projectNotFound()
      return project
    },

    create: async (...wanted) => (await changes()).create(...wanted),
    update: async (...wanted) => (await changes()).update(...wanted),

    async remove(userId, id) {
      const undo = await db.transaction().execute(async (transaction) => {
        if (!(await store.mark(transaction, userId, id, true))) throw projectNotFound()
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
          await chats.restoreOfProject(transaction, itemId)
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

export function projectHandlers(projects: Projects): Handlers<typeof api.projects> {
  return {
    list: ({ caller, query }) => projects.list(caller.userId, query),
    read: async ({ caller, params }) => ({ project: await projects.read(caller.userId, params.id) }),
    create: async ({ caller, body }) => ({ project: await projects.create(caller, body) }),
    update: async ({ caller, params, body }) => ({
      project: await projects.update(caller, params.id, body),
    }),
    async remove({ caller, params }) {
      return { success: true, id: params.id, undo: await projects.remove(caller.userId, params.id) }
    },
  }
}
