import type { Notification } from "../../../shared/contract/notifications.ts"

/** How a notification's sender is drawn. */
export type SenderLook = { kind: "initials"; initials: string } | { kind: "glyph"; icon: string }

/**
 * interface.md 2.6: `system` shows its icon, `user` and `assistant` their picture, `email` the sender's initials. A
 * picture of the web is never loaded by the page: initials stand for it.
 */
export function senderLook({ sender, icon }: Pick<Notification, "sender" | "icon">): SenderLook {
  const { kind, name = "", imageUrl, email } = sender
  const initials = initialsOf(name) || initialsOf(mailbox(email))
  const glyph = kind === "system" || (kind !== "email" && imageUrl === undefined && sender.icon !== undefined)
  return glyph || initials === "" ? { kind: "glyph", icon } : { kind: "initials", initials }
}

const mailbox = (email: string | undefined) => (email?.split("@")[0] ?? "").replaceAll(/[._+-]+/g, " ")

/** First letters of the first and the last word. */
function initialsOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? []
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words
  return chosen.map((word) => word?.match(/^./u)?.[0].toLocaleUpperCase() ?? "").join("")
}

/** Black or white, whichever is easier to read on a colour like #4F46E5 (contrast of WCAG 2). */
export function readableOn(hex: string): "#000000" | "#ffffff" {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  return (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) ? "#000000" : "#ffffff"
}
