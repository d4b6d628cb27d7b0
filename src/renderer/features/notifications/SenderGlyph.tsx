import type { Notification } from "../../../shared/contract/notifications.ts"
import { Bell } from "lucide-react"
import { useState } from "react"
import { BoxPicture } from "../../ui/pictures/BoxPicture.tsx"
import { classNames } from "../../ui/class-names.ts"
import { NamedIcon } from "../../ui/pictures/NamedIcon.tsx"
import { readableOn } from "../../ui/pictures/readable-on.ts"
import { hasPicture, senderLook } from "./sender-look.ts"

const typeTints: Record<Notification["type"], string> = {
  info: "bg-well text-soft border border-line",
  success: "bg-well text-good border border-line",
  error: "bg-danger-tint text-danger",
}

/** Who a notification is from, as a small picture. */
export function SenderGlyph({ notification }: { notification: Notification }) {
  const look = senderLook(notification)
  const [pictured, setPictured] = useState(() => hasPicture(notification.sender))
  const { color } = notification.sender
  const round = look.kind !== "glyph"
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
        // Over the initials: it shows once it is there, and nothing changes when there is none.
        <BoxPicture
          path={`/api/public/notifications/${notification.id}/avatar`}
          alt=""
          className="absolute inset-0 size-full object-cover"
          onFailed={() => setPictured(false)}
        />
      )}
      {look.kind === "glyph" ? (
        <NamedIcon name={look.icon} fallback={Bell} className="size-4" />
      ) : (
        look.initials
      )}
    </span>
  )
}
