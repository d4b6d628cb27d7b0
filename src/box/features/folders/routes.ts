import type { api } from "../../../shared/contract/api.ts"
import type { Handlers } from "../../http/serve.ts"
import type { Folders } from "./service.ts"

export function foldersHandlers(folders: Folders): Handlers<typeof api.folders> {
  return {
    list: async ({ caller }) => ({ vectors: await folders.list(caller.userId) }),
    create: async ({ caller, body }) => ({ vector: await folders.create(caller.userId, body) }),
    search: ({ caller, body: { query, vector, topK, strategy } }) =>
      folders.search(caller.userId, { query, vectorIds: vector, topK, strategy }),
    read: async ({ caller, params }) => ({ vector: await folders.read(caller.userId, params.id) }),
    passage: async ({ caller, params }) => ({
      passage: await folders.passage(caller.userId, params.id, params.passageId),
    }),
    update: async ({ caller, params, body }) => ({
      vector: await folders.update(caller.userId, params.id, body),
    }),
    async remove({ caller, params }) {
      await folders.remove(caller.userId, params.id)
      return { success: true, id: params.id }
    },
  }
}
