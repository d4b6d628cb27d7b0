import { t } from "i18next"
import { CircleAlert, X } from "lucide-react"
import { useSyncExternalStore, useEffect } from "react"
import { createPortal } from "react-dom"
import { shortcutName, useShortcuts } from "../../lib/keys/shortcut.ts"
import { openReport, useCanReport } from "../../lib/report-dialog.ts"
import {
  dismissToast,
  holdToast,
  releaseToast,
  toastStore,
  type Toast,
  type ToastAction,
} from "../../lib/toasts.ts"
import { classNames } from "../class-names.ts"

let anchors: readonly HTMLElement[] = []
const listeners = new Set<() => void>()

function setAnchors(next: readonly HTMLElement[]): void {
  anchors = next
  for (const listener of listeners) listener()
}

function addAnchor(added: HTMLElement | null) {
  if (added) setAnchors([...anchors, added])
  return () => setAnchors(anchors.filter((anchor) => anchor !== added))
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns the newest anchor. Anchors in an open panel come first, because the panel covers the others. */
const getAnchor = () => anchors.findLast((anchor) => anchor.closest("[role=dialog]")) ?? anchors.at(-1)

/** Shows toasts here instead of in the corner of the window, where they would cover part of the page. */
export function ToastAnchor({ className }: { className: string }) {
  return <div ref={addAnchor} className={classNames("relative z-50 w-full", className)} />
}

/** Renders the toasts of `showToast`, in the corner of the window or where the page has a place for them. */
export function Toaster() {
  const toasts = useSyncExternalStore(toastStore.subscribe, toastStore.get)
  const anchor = useSyncExternalStore(subscribe, getAnchor)
  useShortcuts({ undo: newestUndo(toasts) })
  const list = (
    <div
      aria-live="polite"
      data-toasts
      className={classNames(
        "pointer-events-none flex w-80 flex-col gap-2",
        anchor ? "max-w-full not-empty:py-2" : "fixed top-14 right-4 z-50 max-w-[calc(100vw-2rem)]",
      )}
    >
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </div>
  )
  return anchor ? createPortal(list, anchor) : list
}

function take(id: number, run: () => void): void {
  run()
  dismissToast(id)
}

/** Returns the undo action of the newest toast that has one, for the undo shortcut. */
function newestUndo(toasts: readonly Toast[]): (() => void) | undefined {
  for (const { id, actions = [] } of toasts.toReversed()) {
    const undo = actions.find(({ shortcut }) => shortcut === "undo")
    if (undo) return () => take(id, undo.run)
  }
  return undefined
}

function ToastCard({ toast }: { toast: Toast }) {
  const { id, text, kind, detail, onOpen, isExternalFault = false } = toast
  const canReport = useCanReport() && kind === "error" && !isExternalFault
  const report: ToastAction = {
    label: t("frame:reportProblem"),
    run: () => void openReport([text, detail].filter(Boolean).join("\n")),
  }
  const actions = [...(toast.actions ?? []), ...(canReport ? [report] : [])]
  const close = () => dismissToast(id)
  // When the toast is rendered again in another place, its hold is lost.
  useEffect(() => () => releaseToast(id), [id])
  return (
    <div
      // A toast that appears under a resting pointer isn't held, because the user isn't pointing at it.
      onPointerMove={() => holdToast(id)}
      onPointerLeave={() => releaseToast(id)}
      onFocus={() => holdToast(id)}
      onBlur={() => releaseToast(id)}
      className="pointer-events-auto flex animate-appear items-start gap-1 rounded-lg bg-raised py-1.5 pr-1.5 pl-3 text-sm shadow-float"
    >
      {kind === "error" && <CircleAlert className="mt-1.5 mr-1 size-4 shrink-0 text-danger" aria-hidden />}
      <div className="min-w-0 flex-1 py-1">
        <button
          type="button"
          onClick={() => {
            close()
            onOpen?.()
          }}
          className="block w-full rounded text-left break-words"
        >
          <span className={classNames("line-clamp-6", detail !== undefined && "font-medium")}>{text}</span>
          {detail !== undefined && <span className="line-clamp-2 text-soft">{detail}</span>}
        </button>
        {actions.length > 0 && (
          <div className="mt-1.5 flex flex-wrap gap-x-3 gap-y-1.5">
            {actions.map(({ label, run, shortcut }) => (
              <button
                key={label}
                type="button"
                onClick={() => take(id, run)}
                className="max-w-full rounded text-left font-medium break-words text-accent hover:underline"
              >
                {label}
                {shortcut && (
                  <kbd aria-hidden className="ml-1.5 font-sans font-normal text-faint pointer-coarse:hidden">
                    {shortcutName(shortcut)}
                  </kbd>
                )}
              </button>
            ))}
          </div>
        )}
      </div>
      <button
        type="button"
        aria-label={t("common:close")}
        onClick={close}
        className="flex size-7 shrink-0 items-center justify-center rounded-md text-faint hover:bg-hover hover:text-ink"
      >
        <X className="size-3.5" aria-hidden />
      </button>
    </div>
  )
}
