import { t } from "i18next"
import { Code, Maximize2, Minimize2 } from "lucide-react"
import { useEffect, useRef, useState } from "react"
import { classNames } from "../../../ui/class-names.ts"
import { IconButton } from "../../../ui/controls/Button.tsx"
import { JsonBlock } from "./calls/JsonBlock.tsx"
import { visibleText } from "../../../lib/words/visible-text.ts"
import { WidgetFrame } from "./WidgetFrame.tsx"

/** A small page written by a model, with its source. It can be enlarged without losing its state. */
export function WidgetFigure({ title: given, html }: { title: string; html: string }) {
  const title = visibleText(given)
  const figure = useRef<HTMLElement>(null)
  const [large, setLarge] = useState(false)
  const [source, setSource] = useState(false)

  // Uses the browser's top layer, because moving the frame within the page would reload it.
  useEffect(() => {
    if (!large) return undefined
    figure.current?.showPopover()
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return
      event.preventDefault()
      event.stopPropagation()
      setLarge(false)
    }
    window.addEventListener("keydown", onKey, true)
    return () => window.removeEventListener("keydown", onKey, true)
  }, [large])

  return (
    <figure
      ref={figure}
      aria-label={title}
      {...(large ? { popover: "manual" as const } : {})}
      className={classNames(
        "flex flex-col overflow-hidden border border-line bg-canvas text-ink",
        large ? "fixed inset-4 m-0 h-auto w-auto rounded-xl shadow-float backdrop:bg-scrim" : "rounded-lg",
      )}
    >
      <figcaption className="flex h-10 shrink-0 items-center gap-0.5 border-b border-line pr-1.5 pl-3">
        <span className="min-w-0 flex-1 truncate text-sm font-medium" title={title}>
          {title}
        </span>
        <IconButton
          label={source ? t("widgets:show") : t("widgets:source")}
          aria-pressed={source}
          onClick={() => setSource(!source)}
        >
          <Code aria-hidden />
        </IconButton>
        <IconButton
          label={large ? t("widgets:smaller") : t("widgets:larger")}
          onClick={() => setLarge(!large)}
        >
          {large ? <Minimize2 aria-hidden /> : <Maximize2 aria-hidden />}
        </IconButton>
      </figcaption>
      {source && (
        <div className="overflow-y-auto p-2">
          <JsonBlock label={t("widgets:source")} value={html} />
        </div>
      )}
      <div className={classNames("flex min-h-0 flex-1 flex-col", source && "hidden")}>
        <WidgetFrame title={title} html={html} fill={large} />
      </div>
    </figure>
  )
}
