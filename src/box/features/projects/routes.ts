import type { api } from "../../../shared/contract/api.ts"
import type { Handlers } from "../../http/serve.ts"
import type { Projects } from "./service.ts"

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
