import { t } from "i18next"
import { Code, Maximize2, Minimize2 } from "lucide-react"
import { type RefObject, useEffect, useRef, useEffectEvent, useState } from "react"
import { flushSync } from "react-dom"
import { widgetLeft, widgetPath, widgetReady } from "../../../../shared/widget-document.ts"
import { useSettings } from "../../../data/settings.ts"
import { enforcesConnectionAllowlist } from "../../../lib/browser/keeps-connections.ts"
import { visibleText } from "../../../lib/words/visible-text.ts"
import { Note } from "../../../ui/Note.tsx"
import { classNames } from "../../../ui/class-names.ts"
import { Button, IconButton } from "../../../ui/controls/Button.tsx"
import { JsonBlock } from "./calls/JsonBlock.tsx"

/** Set while a widget runs in this tab, and still set when the page loads again after a crash. */
const storageKey = "widgets-running"

/** Whether the page ended while a widget was running, other than by being left. The widget may have blocked the page. */
const endedInWidget = sessionStorage.getItem(storageKey) !== null

let running = 0

/** Records that a widget is running, until the returned function is called. */
function noteRunning(): () => void {
  running++
  sessionStorage.setItem(storageKey, "yes")
  return () => {
    if (--running === 0) sessionStorage.removeItem(storageKey)
  }
}

window.addEventListener("pagehide", () => sessionStorage.removeItem(storageKey))

/**
 * How long the browser treats an action in the page as user activation. During this time, `userActivation` doesn't prove an action inside a
 * frame.
 */
const activationMs = 5000
/** How often a frame may take the focus unasked. A game may do so once or twice when it starts. */
const maxTaken = 3

/**
 * Takes the focus back when a frame grabs it without a click or Tab by the user, so that typing doesn't end up in the frame. Calls
 * `onFocusTakenRepeatedly` if a frame keeps doing this. The returned function takes the focus away from the frame.
 */
function useKeyboardGuard(
  frame: RefObject<HTMLIFrameElement | null>,
  onFocusTakenRepeatedly: () => void,
): () => void {
  const latestCallback = useRef(onFocusTakenRepeatedly)
  const pageFocus = useRef<Element | null>(null)
  useEffect(() => {
    latestCallback.current = onFocusTakenRepeatedly
  })

  useEffect(() => {
    const watch = new AbortController()
    const { signal } = watch
    // The user's last action that the page saw. The page doesn't see actions inside a frame.
    let goesIn = false
    let usedAt = performance.now()
    let pointsAt = false
    let taken = 0
    pageFocus.current = document.activeElement

    const isClicked = () =>
      navigator.userActivation.isActive && (pointsAt || performance.now() - usedAt > activationMs)

    function onBlur(): void {
      if (frame.current === null || document.activeElement !== frame.current || goesIn || isClicked()) return
      setTimeout(() => restoreFocus(frame.current, pageFocus.current)) // the focus can't be moved back while the browser is moving it
      if (++taken >= maxTaken) latestCallback.current()
    }

    function onUse(event: Event): void {
      goesIn = event instanceof KeyboardEvent && event.key === "Tab"
      pointsAt = false
      usedAt = performance.now()
    }

    function onFocusIn({ target }: FocusEvent): void {
      if (!(target instanceof Element) || target === frame.current) return
      pageFocus.current = target
      goesIn = false
    }

    window.addEventListener("blur", onBlur, { signal })
    window.addEventListener("focusin", onFocusIn, { signal })
    for (const use of ["keydown", "pointerdown"])
      window.addEventListener(use, onUse, { signal, capture: true })
    frame.current?.addEventListener("pointerenter", () => (pointsAt = true), { signal })
    frame.current?.addEventListener("pointerleave", () => (pointsAt = false), { signal })
    return () => watch.abort()
  }, [frame])

  return () => restoreFocus(frame.current, pageFocus.current)
}

function restoreFocus(frame: HTMLIFrameElement | null, to: Element | null): void {
  window.focus()
  if (to instanceof HTMLElement) to.focus({ preventScroll: true })
  else frame?.blur()
}

const min = 80
const max = 600
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
function WidgetFrame(props: WidgetFrameProps) {
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
        setHeight(Math.min(max, Math.max(min, Math.ceil(wanted))))
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
