import { Bot } from "lucide-react"
import { useState } from "react"
import type { AssistantEntry } from "../../../shared/contract/assistants.ts"
import { classNames } from "../class-names.ts"
import { BoxPicture } from "./BoxPicture.tsx"
import { NamedIcon } from "./NamedIcon.tsx"

/** Returns black or white, whichever is easier to read on a colour such as #4F46E5 (WCAG 2 contrast). */
export function readableOn(hex: string): "#000000" | "#ffffff" {
  const luminance = computeLuminance(hex)
  return (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) ? "#000000" : "#ffffff"
}

/** The same for an icon: white, unless its contrast is below the 3:1 that WCAG 2 requires for graphics. */
const glyphOn = (hex: string): "#000000" | "#ffffff" =>
  1.05 / (computeLuminance(hex) + 0.05) >= 3 ? "#ffffff" : "#000000"

function computeLuminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const sizes = {
  small: { box: "size-5 rounded-md", icon: "size-3.5" },
  medium: { box: "size-8 rounded-lg", icon: "size-4.5" },
  large: { box: "size-14 rounded-xl", icon: "size-7" },
}

interface AssistantAvatarProps {
  /** Without an id, the assistant isn't stored in this form, and the box has no copy of its image yet. */
  assistant: Pick<AssistantEntry, "icon" | "color" | "customImage"> & { id?: string | undefined }
  size?: keyof typeof sizes
}

/** An assistant's image, or its icon on its colour. An image from the web is shown from the box's copy; a broken image isn't shown. */
export function AssistantAvatar({ assistant, size = "medium" }: AssistantAvatarProps) {
  const { id, icon, color, customImage } = assistant
  const { box, icon: iconSize } = sizes[size]
  const [broken, setBroken] = useState<string | null>(null)
  const isInline = customImage?.startsWith("data:") === true
  if (isInline && customImage !== broken) {
    return (
      <img
        src={customImage}
        alt=""
        draggable={false}
        onError={() => setBroken(customImage)}
        className={classNames("shrink-0 object-cover", box)}
      />
    )
  }
  if (id !== undefined && customImage !== null && !isInline && customImage !== broken) {
    return (
      <BoxPicture
        key={customImage}
        path={`/api/public/assistants/${encodeURIComponent(id)}/image`}
        alt=""
        draggable={false}
        onFailed={() => setBroken(customImage)}
        className={classNames("shrink-0 object-cover", box)}
      />
    )
  }
  return (
    <span
      aria-hidden
      className={classNames(
        "inline-flex shrink-0 items-center justify-center",
        box,
        color === null && "border border-line bg-well text-soft",
      )}
      style={color === null ? undefined : { background: color, color: glyphOn(color) }}
    >
      <NamedIcon name={icon ?? "Bot"} fallback={Bot} className={classNames(iconSize, "text-current!")} />
    </span>
  )
}
