import { t } from "i18next"
import { useEffect, useRef, useState } from "react"
import { widgetPath, widgetReady } from "../../../../shared/widget-document.ts"
import { classNames } from "../../../ui/class-names.ts"

const least = 80
const most = 600
/** A widget that grows with its frame would grow for ever. */
const mostChanges = 40

/** Without one, the page of a widget is as high as its frame, and so would never get lower. */
const doctype = "<!doctype html>"

/** Added to the widget: tells the page how high its content is. */
const tellsHeight = `<script>new ResizeObserver(() => parent.postMessage({ height: document.documentElement.getBoundingClientRect().height }, "*")).observe(document.documentElement)</script>`

interface WidgetFrameProps {
  title: string
  html: string
  /** Takes the height that there is, instead of its content's. */
  fill: boolean
}

/** HTML that a model wrote, where `shared/widget-document.ts` says that it reaches nothing. */
export function WidgetFrame({ title, html, fill }: WidgetFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [height, setHeight] = useState(320)

  useEffect(() => {
    let changes = 0
    function onMessage({ source, data }: MessageEvent<unknown>) {
      const target = frame.current?.contentWindow
      if (!target || source !== target) return
      // The frame has an origin of its own, which has no name: only the window itself can be named.
      if (data === widgetReady) target.postMessage({ html: asPage(html) }, "*")
      const wanted = heightIn(data)
      if (wanted !== undefined && changes++ < mostChanges)
        setHeight(Math.min(most, Math.max(least, Math.ceil(wanted))))
    }
    window.addEventListener("message", onMessage)
    return () => window.removeEventListener("message", onMessage)
  }, [html])

  return (
    <iframe
      ref={frame}
      title={t("tools:widget.frame", { title })}
      src={widgetPath}
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      style={{ colorScheme: "light", ...(fill ? {} : { height }) }}
      className={classNames("block w-full bg-paper", fill && "min-h-0 flex-1")}
    />
  )
}

const asPage = (html: string): string => (/^\s*<!doctype/i.test(html) ? html : doctype + html) + tellsHeight

/** What a widget says is a stranger's word. */
function heightIn(data: unknown): number | undefined {
  if (typeof data !== "object" || data === null || !("height" in data)) return undefined
  return typeof data.height === "number" && Number.isFinite(data.height) ? data.height : undefined
}
