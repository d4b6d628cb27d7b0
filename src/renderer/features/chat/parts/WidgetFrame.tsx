import { t } from "i18next"
import { useEffect, useEffectEvent, useRef, useState } from "react"
import { flushSync } from "react-dom"
import { widgetLeft, widgetPath, widgetReady } from "../../../../shared/widget-document.ts"
import { useSettings } from "../../../data/settings.ts"
import { enforcesConnectionAllowlist } from "../../../lib/browser/keeps-connections.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { Note } from "../../../ui/Note.tsx"
import { classNames } from "../../../ui/class-names.ts"
import { useKeyboardGuard } from "./keyboard-guard.ts"
import { endedInWidget, noteRunning } from "./widget-runs.ts"

const least = 80
const most = 600
/** Maximum height changes, because a widget that grows with its frame would never stop. */
const maxChanges = 40
/** Heights are reported at most once per frame. A widget that sends more messages would block the page. */
const maxMessagesPerSecond = 300
/** A widget may reload itself, but not endlessly. */
const maxLoads = 10

/** Without a doctype, a widget's page is as high as its frame, so it could never shrink. */
const doctype = "<!doctype html>"

/** Added to the widget to report its content height to the page. */
const heightReportScript = `<script>new ResizeObserver(() => parent.postMessage({ height: document.documentElement.getBoundingClientRect().height }, "*")).observe(document.documentElement)</script>`

interface WidgetFrameProps {
  title: string
  html: string
  /** Fills the available height instead of using the content's height. */
  fill: boolean
}

/** Why a widget was stopped: it took the keyboard focus, it sent too many messages, or the page ended while it ran. */
type Stopped = "keyboard" | "messages" | "ended"

/** A widget. Not shown if nothing may leave this computer and the browser can't guarantee that. */
export function WidgetFrame(props: WidgetFrameProps) {
  const { data: settings } = useSettings()
  const [stopped, setStopped] = useState<Stopped | null>(endedInWidget ? "ended" : null)
  if (!enforcesConnectionAllowlist() && settings?.localOnly !== false)
    return settings && <Note>{t("widgets:unkept")}</Note>
  if (stopped === null) return <RunningWidget {...props} onStop={setStopped} />
  const restartButton = <Button onClick={() => setStopped(null)}>{t("widgets:again")}</Button>
  return <Note action={restartButton}>{t(`widgets:stopped.${stopped}`)}</Note>
}

interface RunningWidgetProps extends WidgetFrameProps {
  onStop: (why: Stopped) => void
}

/** HTML written by a model, isolated as described in `shared/widget-document.ts`. */
function RunningWidget({ title, html, fill, onStop }: RunningWidgetProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  const takeKeyboard = useKeyboardGuard(frame, () => onStop("keyboard"))
  useEffect(noteRunning, [])
  const [height, setHeight] = useState(320)

  const onLeft = useEffectEvent(takeKeyboard)
  const onFlood = useEffectEvent(() => {
    // Renders synchronously; otherwise rendering would have to wait for all queued messages.
    flushSync(() => onStop("messages"))
  })
  useEffect(() => {
    let changes = 0
    let loads = 0
    let second = 0
    let messages = 0
    function onMessage({ source, data }: MessageEvent<unknown>) {
      const target = frame.current?.contentWindow
      if (!target || source !== target) return
      const now = Math.floor(performance.now() / 1000)
      messages = now === second ? messages + 1 : 1
      second = now
      if (messages > maxMessagesPerSecond) {
        onFlood()
        return
      }
      if (data === widgetLeft) onLeft()
      // The frame has an opaque origin, so the target can't be restricted to an origin.
      if (data === widgetReady && loads++ < maxLoads) target.postMessage({ html: toHtmlPage(html) }, "*")
      const wanted = heightIn(data)
      if (wanted !== undefined && changes++ < maxChanges)
        setHeight(Math.min(most, Math.max(least, Math.ceil(wanted))))
    }
    window.addEventListener("message", onMessage)
    return () => window.removeEventListener("message", onMessage)
  }, [html])

  return (
    <iframe
      ref={frame}
      title={t("widgets:frame", { title })}
      src={widgetPath}
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      style={{ colorScheme: "light", ...(fill ? {} : { height }) }}
      className={classNames("block w-full bg-paper", fill && "min-h-0 flex-1")}
    />
  )
}

const toHtmlPage = (html: string): string =>
  (/^\s*<!doctype/i.test(html) ? html : doctype + html) + heightReportScript

/** Messages from a widget are untrusted. */
function heightIn(data: unknown): number | undefined {
  if (typeof data !== "object" || data === null || !("height" in data)) return undefined
  return typeof data.height === "number" && Number.isFinite(data.height) ? data.height : undefined
}
