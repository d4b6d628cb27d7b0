import type { api } from "../../../shared/contract/api.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { requireFullRights, requireOwner, type Rights } from "../../http/caller.ts"
import type { Handlers } from "../../http/serve.ts"
import type { Folders } from "./service.ts"

export function foldersHandlers(folders: Folders): Handlers<typeof api.folders> {
  return {
    list: ({ caller }) => folders.list(caller.userId),
    async create({ caller, body }) {
      if (body.folder) requireMayFollow(caller)
      return { vector: await folders.create(caller, body) }
    },
    search: ({ caller, body: { vector, includeGenerated, ...query } }) =>
      folders.search(caller.userId, {
        ...query,
        vectorIds: vector,
        generated: includeGenerated ? "all" : [],
      }),
    read: async ({ caller, params }) => ({ vector: await folders.read(caller.userId, params.id) }),
    passage: async ({ caller, params }) => ({
      passage: await folders.passage(caller.userId, params.id, params.passageId),
    }),
    async update({ caller, params, body }) {
      if (body.folder !== undefined) {
        requireOwner(caller)
        requireMayFollow(caller)
      }
      return { vector: await folders.update(caller, params.id, body) }
    },
    imageCosts: async ({ caller, params }) => ({
      costs: await folders.estimateImageCosts(caller.userId, params.id),
    }),
    forgetMissing: async ({ caller, params }) => ({
      vector: await folders.forgetMissing(caller.userId, params.id),
    }),
    async remove({ caller, params }) {
      const undo = await folders.remove(caller.userId, params.id)
      return { success: true, id: params.id, undo }
    },
  }
}

/** A key for folders may reach what Casella already contains, but must not choose which of the computer's directories are added. */
const requireMayFollow = (caller: Rights): void =>
  requireFullRights(caller, sentence("folders.following_needs_rights"))
