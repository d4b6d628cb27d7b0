import type { Notification } from "../../../shared/contract/notifications.ts"

/** How a notification's sender is shown. */
export type SenderAvatar = { kind: "initials"; initials: string } | { kind: "glyph"; icon: string }

/** Whether the box has, or will fetch, an image to cover the initials or icon. */
export const hasPicture = ({ kind, imageUrl }: Notification["sender"]): boolean =>
  (kind === "user" || kind === "assistant") && imageUrl !== undefined

/**
 * `system` shows its icon, `user` and `assistant` their image, `email` the sender's initials. The page never loads images from the web
 * itself: the box fetches them, and initials are shown until then.
 */
export function getSenderAppearance({ sender, icon }: Pick<Notification, "sender" | "icon">): SenderAvatar {
  const { kind, name = "", imageUrl, email } = sender
  const initials = getInitials(name) || getInitials(mailbox(email))
  const glyph = kind === "system" || (kind !== "email" && imageUrl === undefined && sender.icon !== undefined)
  return glyph || initials === "" ? { kind: "glyph", icon } : { kind: "initials", initials }
}

const mailbox = (email: string | undefined) => (email?.split("@")[0] ?? "").replaceAll(/[._+-]+/g, " ")

/** First letters of the first and last word. */
function getInitials(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? []
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words
  return chosen.map((word) => word?.match(/^./u)?.[0].toLocaleUpperCase() ?? "").join("")
}
