import type { Request } from "express"
import type { api } from "../../../shared/contract/api.ts"
import type { Caller } from "../../http/caller.ts"
import type { Handlers } from "../../http/serve.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { FetchedPictures } from "../../core/fetched-pictures.ts"
import type { Notifications } from "./service.ts"

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const maxPerMinute = 60
const maxPerDay = 1_000

/**
 * Limits how many notifications a key with the scope `notify` sends to other people, so that a faulty program or a leaked key can't flood
 * them. Counts are kept in memory and start at 0 when the server starts.
 *
 * @param now in ms, from a monotonic clock
 */
export function createSendLimits(now: () => number = () => performance.now()) {
  /** Send times of each key's notifications in the past day, oldest first. */
  const sent = new Map<string, number[]>()

  /** Counts one notification. Throws `rate_limited`. */
  return ({ scopes, credentialId }: Pick<Caller, "scopes" | "credentialId">): void => {
    if (!scopes?.includes("notify")) return
    const sentInDay = (sent.get(credentialId) ?? []).filter((moment) => moment > now() - dayMs)
    if (sentInDay.length >= maxPerDay || (sentInDay.at(-maxPerMinute) ?? -Infinity) > now() - minuteMs)
      throw new AppError(
        "rate_limited",
        sentence("notifications.too_many_sent", { minute: maxPerMinute, day: maxPerDay }),
      )
    sent.set(credentialId, [...sentInDay, now()])
  }
}

export function notificationHandlers(
  notifications: Notifications,
  pictures: FetchedPictures,
): Handlers<typeof api.notifications> {
  const countSent = createSendLimits()
  const markAllRead = async ({ caller }: { caller: { userId: string } }) => ({
    updated: await notifications.markAllRead(caller.userId),
  })
  return {
    async send({ caller, body, request, response }) {
      const recipient = await notifications.recipient(caller.userId, body, workspaceHeader(request))
      if (recipient !== caller.userId) countSent(caller)
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
