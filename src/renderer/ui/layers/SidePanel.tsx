import { t } from "i18next"
import { X } from "lucide-react"
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react"
import { IconButton } from "../controls/Button.tsx"
import { MiddleCut } from "../text/LongText.tsx"

interface SidePanelProps {
  label: string
  heading: string
  /** Shown below the heading. */
  facts?: ReactNode
  /** Shown before the close button. */
  actions?: ReactNode
  onClose: () => void
  children: ReactNode
}

/** A panel to the right of the page's content, or over it if there is no room. It takes the focus and handles Esc. */
export function SidePanel({ label, heading, facts, actions, onClose, children }: SidePanelProps) {
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => title.current?.focus(), [])

  /** Handled before the rest of the page, because Esc in the panel must not stop a running answer. */
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== "Escape" || event.defaultPrevented || event.nativeEvent.isComposing) return
    event.preventDefault()
    onClose()
  }

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- keys of what is in it come by
    <aside
      aria-label={label}
      onKeyDown={onKeyDown}
      className="absolute inset-y-0 right-0 z-20 flex w-[min(27rem,100%)] animate-slide flex-col border-l border-line bg-canvas shadow-float xl:static xl:w-[27rem] xl:shrink-0 xl:animate-none xl:shadow-none"
    >
      <header className="flex items-start gap-1 border-b border-line py-2.5 pr-2.5 pl-5">
        <div className="min-w-0 flex-1">
          <h2
            ref={title}
            tabIndex={-1}
            title={heading}
            className="truncate leading-7 font-medium focus-visible:outline-none"
          >
            <MiddleCut text={heading} />
          </h2>
          {facts}
        </div>
        {actions}
        <IconButton label={t("common:close")} keys="Esc" onClick={onClose}>
          <X aria-hidden />
        </IconButton>
      </header>
      {children}
    </aside>
  )
}
