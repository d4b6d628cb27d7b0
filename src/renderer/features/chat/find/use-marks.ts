import { useEffect, useEffectEvent } from "react"
import type { ShownList } from "../shown-list.ts"
import { drawnPlaces } from "./drawn-places.ts"
import "./find.css"
import type { Place } from "./found-places.ts"

/** A place comes to stand here, as a part of the height. */
const upperPart = 0.3
/** Frames in which the place may be drawn and its surroundings settle. */
const mostFrames = 180
const steadyFrames = 3

/** Marks what is found in what is drawn, and brings the place that was gone to into view. */
export function useMarks(list: ShownList, pattern: RegExp | undefined, place: Place | undefined): void {
  const mark = useEffectEvent(() => markPlaces(list.content(), pattern, place))

  useEffect(() => {
    const content = list.content()
    if (!content) return undefined
    let frame = 0
    const again = () => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(mark)
    }
    const observer = new MutationObserver(again)
    observer.observe(content, { subtree: true, childList: true, characterData: true })
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
      CSS.highlights.delete("found")
      CSS.highlights.delete("found-here")
    }
  }, [list])

  useEffect(() => {
    mark()
    if (!pattern || !place) return undefined
    list.goTo(place.text)
    let frames = 0
    let steady = 0
    const approach = () => {
      const here = mark()
      steady = here && isInView(here, list) ? steady + 1 : 0
      if (here && steady === 0) bringIntoView(here, list)
      if (steady < steadyFrames && ++frames < mostFrames) frame = requestAnimationFrame(approach)
    }
    let frame = requestAnimationFrame(approach)
    const letGo = () => cancelAnimationFrame(frame)
    const scroller = list.scroller()
    scroller?.addEventListener("wheel", letGo, { passive: true })
    scroller?.addEventListener("pointerdown", letGo, { passive: true })
    return () => {
      letGo()
      scroller?.removeEventListener("wheel", letGo)
      scroller?.removeEventListener("pointerdown", letGo)
    }
  }, [list, pattern, place])
}

/** Marks all places that are drawn; answers the one that was gone to, if it is. */
function markPlaces(
  content: HTMLElement | null,
  pattern: RegExp | undefined,
  place: Place | undefined,
): Range | undefined {
  const rows = pattern ? [...(content?.querySelectorAll<HTMLElement>("[data-index]") ?? [])] : []
  let here: Range | undefined
  const found = rows.flatMap((row) => {
    const ranges = pattern ? drawnPlaces(row, pattern) : []
    // How Markdown is drawn is known better here than where it was counted.
    if (place && row.dataset["index"] === String(place.text)) here = ranges[place.nth] ?? ranges.at(-1)
    return ranges
  })
  CSS.highlights.set("found", new Highlight(...found.filter((range) => range !== here)))
  CSS.highlights.set("found-here", new Highlight(...(here ? [here] : [])))
  return here
}

function isInView(range: Range, list: ShownList): boolean {
  const shown = list.scroller()?.getBoundingClientRect()
  const { top, bottom } = range.getBoundingClientRect()
  return (
    shown !== undefined &&
    bottom > top &&
    top >= shown.top + shown.height * 0.08 &&
    bottom <= shown.bottom - 8
  )
}

function bringIntoView(range: Range, list: ShownList): void {
  const scroller = list.scroller()
  if (!scroller) return
  // Code and tables scroll sideways by themselves.
  range.startContainer.parentElement?.scrollIntoView({ block: "nearest", inline: "nearest" })
  const shown = scroller.getBoundingClientRect()
  scroller.scrollTop += range.getBoundingClientRect().top - shown.top - shown.height * upperPart
}
