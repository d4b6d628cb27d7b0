import type { Notification } from "../../../shared/contract/notifications.ts"
import { Bell } from "lucide-react"
import { useState } from "react"
import { BoxPicture } from "../../ui/pictures/BoxPicture.tsx"
import { classNames } from "../../ui/class-names.ts"
import { NamedIcon } from "../../ui/pictures/NamedIcon.tsx"
import { readableOn } from "../../ui/pictures/AssistantAvatar.tsx"
import { hasPicture, getSenderAppearance } from "./sender-appearance.ts"

const typeTints: Record<Notification["type"], string> = {
  info: "bg-well text-soft border border-line",
  success: "bg-well text-good border border-line",
  error: "bg-danger-tint text-danger",
}

/** The sender of a notification, as a small image. */
export function SenderGlyph({ notification }: { notification: Notification }) {
  const appearance = getSenderAppearance(notification)
  const [pictured, setPictured] = useState(() => hasPicture(notification.sender))
  const { color } = notification.sender
  const round = appearance.kind !== "glyph"
  return (
    <span
      aria-hidden
      className={classNames(
        "relative flex size-8 shrink-0 items-center justify-center overflow-hidden text-xs font-medium",
        round ? "rounded-full" : "rounded-lg",
        color === undefined && typeTints[notification.type],
      )}
      style={color === undefined ? undefined : { background: color, color: readableOn(color) }}
    >
      {pictured && (
        // Covers the initials when it has loaded; if there is no image, the initials stay.
        <BoxPicture
          path={`/api/public/notifications/${notification.id}/avatar`}
          alt=""
          className="absolute inset-0 size-full object-cover"
          onFailed={() => setPictured(false)}
        />
      )}
      {appearance.kind === "glyph" ? (
        <NamedIcon name={appearance.icon} fallback={Bell} className="size-4" />
      ) : (
        appearance.initials
      )}
    </span>
  )
}
