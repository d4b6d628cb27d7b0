import { Bot } from "lucide-react"
import { useState } from "react"
import type { AssistantEntry } from "../../shared/contract/assistants.ts"
import { classNames } from "./class-names.ts"
import { NamedIcon } from "./NamedIcon.tsx"
import { glyphOn } from "./readable-on.ts"

const sizes = {
  small: { box: "size-5 rounded-md", icon: "size-3.5" },
  medium: { box: "size-8 rounded-lg", icon: "size-4.5" },
  large: { box: "size-14 rounded-xl", icon: "size-7" },
}

interface AssistantAvatarProps {
  assistant: Pick<AssistantEntry, "icon" | "color" | "customImage">
  size?: keyof typeof sizes
}

/** An assistant's picture, or its icon on its colour. A picture of the web is never loaded by the page, and a broken one isn't shown. */
export function AssistantAvatar({ assistant, size = "medium" }: AssistantAvatarProps) {
  const { icon, color, customImage } = assistant
  const { box, icon: iconSize } = sizes[size]
  const [broken, setBroken] = useState<string | null>(null)
  if (customImage?.startsWith("data:") === true && customImage !== broken) {
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
