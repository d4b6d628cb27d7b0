import { Bot } from "lucide-react"
import { useState } from "react"
import type { AssistantEntry } from "../../../shared/contract/assistants.ts"
import { BoxPicture } from "./BoxPicture.tsx"
import { classNames } from "../class-names.ts"
import { NamedIcon } from "./NamedIcon.tsx"
import { glyphOn } from "./readable-on.ts"

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
