import type { Request } from "express"
import type { api } from "../../../shared/contract/api.ts"
import type { Handlers } from "../../http/serve.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { FetchedPictures } from "../../core/fetched-pictures.ts"
import type { Notifications } from "./service.ts"

export function notificationHandlers(
  notifications: Notifications,
  pictures: FetchedPictures,
): Handlers<typeof api.notifications> {
  const markAllRead = async ({ caller }: { caller: { userId: string } }) => ({
    updated: await notifications.markAllRead(caller.userId),
  })
  return {
    async send({ caller, body, request, response }) {
      const recipient = await notifications.recipient(caller.userId, body, workspaceHeader(request))
      const sent = await notifications.send(recipient, body, { userId: caller.userId })
      if (!sent.persisted) response.status(202)
      return sent
    },
    list: ({ caller, query: { limit, offset, ...filter } }) =>
      notifications.list(caller.userId, { limit, offset }, filter),
    unreadCount: async ({ caller }) => ({ count: await notifications.unreadCount(caller.userId) }),
    counts: async ({ caller }) => ({ categories: await notifications.countsByCategory(caller.userId) }),
    markAllRead,
    patchAllRead: markAllRead,
    markSeen: async ({ caller, body }) => ({
      updated: await notifications.markSeen(caller.userId, body.ids),
    }),
    read: ({ caller, params }) => notifications.read(caller.userId, params.id),
    async avatar({ caller, params, response }) {
      const { imageUrl } = (await notifications.read(caller.userId, params.id)).sender
      if (imageUrl === undefined) throw new AppError("not_found", sentence("notifications.no_picture"))
      const { mediaType, bytes } = await pictures.get(imageUrl, "sender-picture")
      response.setHeader("cache-control", "private, max-age=86400")
      response.type(mediaType).send(bytes)
    },
    update: ({ caller, params, body }) => notifications.update(caller.userId, params.id, body),
    async remove({ caller, params }) {
      await notifications.remove(caller.userId, params.id)
      return { success: true }
    },
  }
}

function workspaceHeader(request: Request): string | undefined {
  const value = request.headers["x-organization-id"]
  return typeof value === "string" && value !== "" ? value : undefined
}
