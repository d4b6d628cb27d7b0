import { useEffect, type RefObject } from "react"
import { navigate } from "../../lib/navigation/hash-location.ts"

const names = "h2, label, legend, dt, p, button, span, div"
const controls = "input:not([type=hidden]), select, textarea, button, a[href]"
/** Maximum wait for the setting to appear, because many sections load their data first. */
const maxWaitMs = 10_000
/** Duration of the highlight's fade. */
const markMs = 2_500

/** Scrolls to the setting named `wanted`, highlights it for a moment, and focuses its control. */
export function useMarkedSetting(
  body: RefObject<HTMLElement | null>,
  path: string,
  wanted: string | undefined,
): void {
  useEffect(() => {
    const within = body.current
    if (!within || wanted === undefined) return
    const done = new AbortController()
    const check = () => {
      const setting = settingCalled(wanted, within)
      if (!setting) return
      done.abort()
      mark(setting)
      // Removes the name from the address, so that choosing the setting again highlights it again and Back leads to the previous page.
      navigate(path, { replace: true })
    }
    const observer = new MutationObserver(check)
    const limit = setTimeout(() => done.abort(), maxWaitMs)
    done.signal.addEventListener("abort", () => {
      observer.disconnect()
      clearTimeout(limit)
    })
    observer.observe(within, { childList: true, subtree: true, characterData: true })
    check()
    return () => done.abort()
  }, [body, path, wanted])
}

/** Finds a setting by its visible name: the group with this heading, or the smallest element around the name that has a control. */
function settingCalled(name: string, within: HTMLElement): HTMLElement | undefined {
  let setting = [...within.querySelectorAll<HTMLElement>(names)].find(
    ({ textContent }) => textContent.trim() === name,
  )
  if (setting?.matches("h2")) return setting.closest("section") ?? setting
  while (setting && !setting.querySelector(controls) && setting.parentElement !== within)
    setting = setting.parentElement ?? undefined
  return setting
}

function mark(setting: HTMLElement): void {
  const focusable = [...setting.querySelectorAll<HTMLElement>(controls)].filter(
    (control) => !control.matches(":disabled"),
  )
  const control = focusable.find((candidate) => candidate.matches(":checked")) ?? focusable[0]
  control?.focus({ preventScroll: true })
  setting.scrollIntoView({ block: "center" })
  for (const before of document.querySelectorAll<HTMLElement>("[data-marked]"))
    delete before.dataset["marked"]
  setting.dataset["marked"] = ""
  setTimeout(() => delete setting.dataset["marked"], markMs)
}
