import { t } from "i18next"
import { ZoomIn, ZoomOut } from "lucide-react"
import { useState, useEffect, useMemo, useRef, type RefObject } from "react"
import type { FileBlock } from "../../../shared/contract/files.ts"
import type { StoredPassage } from "../../../shared/contract/folders.ts"
import type { PageArea } from "../../../shared/contract/location.ts"
import { filePagePath, useFilePageSizes } from "../../data/folders/files.ts"
import { describeError } from "../../lib/box.ts"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { classNames } from "../../ui/class-names.ts"
import { IconButton } from "../../ui/controls/Button.tsx"
import { BoxPicture } from "../../ui/pictures/BoxPicture.tsx"
import { useVirtualRows } from "../../ui/scrolling.ts"
import { getPassageMark, type Mark } from "./document-rows.ts"
import { type MarkedRange, locatePassage, type TextRange } from "./locate-passage.ts"

interface MarkedArea {
  /** From 1. */
  page: number
  area: PageArea
  mark: Mark
}

/** Returns the areas and pages of a passage, from the pieces of text that it covers. */
export function markedAreas(blocks: FileBlock[], ranges: MarkedRange[]): MarkedArea[] {
  const marks = new Map<number, Mark>()
  const around = getPassageMark(ranges)
  for (const { block, quoted } of ranges)
    if (marks.get(block) !== "strong") marks.set(block, quoted ? "strong" : around)
  return [...marks].flatMap(([index, mark]) => {
    const block = blocks[index]
    return block?.area ? [{ page: block.location.page ?? 1, area: block.area, mark }] : []
  })
}

interface DocumentPageProps {
  path: string
  name: string
  /** The highlighted areas. */
  areas: Omit<MarkedArea, "page">[]
}

/** A page as an image. */
function DocumentPage({ path, name, areas }: DocumentPageProps) {
  const [failed, setFailed] = useState(false)
  return (
    <div className="relative size-full overflow-hidden rounded-sm bg-paper shadow-sm ring-1 ring-line">
      {failed ? (
        <p className="p-4 text-sm text-paper-ink">{t("pages:failed")}</p>
      ) : (
        <BoxPicture
          path={path}
          alt={name}
          className="size-full object-contain"
          onFailed={() => setFailed(true)}
        />
      )}
      {areas.map(({ area: { left, top, width, height }, mark }) => (
        <div
          key={`${left} ${top}`}
          data-mark={mark}
          className={classNames(
            "absolute -m-0.5 box-content rounded-sm p-0.5 mix-blend-multiply",
            mark === "strong" ? "bg-paper-mark" : "bg-paper-mark/40",
          )}
          style={{
            left: `${left * 100}%`,
            top: `${top * 100}%`,
            width: `${width * 100}%`,
            height: `${height * 100}%`,
          }}
        />
      ))}
    </div>
  )
}

interface DocumentPagesProps {
  vectorId: string
  fileId: string
  fileName: string
  /** The extracted text, after it has loaded; used to locate the passage. */
  blocks: FileBlock[] | undefined
  passage: StoredPassage | undefined
  /** Parts of the passage's text that the answer is based on. */
  quoted: readonly TextRange[]
}

const zooms = [1, 1.5, 2, 3]
const gap = 12
/** Number of frames until the rows have their true heights. */
const settlingFrames = 10

/** A document's pages as images, scrolled to the highlighted passage. Only the visible pages are rendered. */
export function DocumentPages({ vectorId, fileId, fileName, blocks, passage, quoted }: DocumentPagesProps) {
  const sizes = useFilePageSizes(vectorId, fileId)
  const scroller = useRef<HTMLDivElement>(null)
  const width = useWidth(scroller)
  const [zoom, setZoom] = useState(0)
  const marks = useMemo(
    () => (blocks && passage ? markedAreas(blocks, locatePassage(blocks, passage, quoted)) : []),
    [blocks, passage, quoted],
  )
  const pageWidth = Math.max(0, width - 2 * gap) * (zooms[zoom] ?? 1)
  const pages = sizes.data ?? []
  const getHeight = (index: number) => {
    const page = pages[index]
    return page ? (pageWidth * page.height) / Math.max(1, page.width) : pageWidth
  }
  const virtualizer = useVirtualRows({
    count: pages.length,
    scroller,
    estimateSize: (index) => getHeight(index) + gap,
  })

  useEffect(() => {
    if (pageWidth > 0) virtualizer.measure() // previously measured heights belong to another width
  }, [virtualizer, pageWidth])

  const ready = pages.length > 0 && pageWidth > 0
  useEffect(() => {
    const first = marks.find(({ mark }) => mark === "strong")?.page ?? passage?.location.page
    if (!ready || first === undefined) return undefined
    let left = settlingFrames
    let frame = requestAnimationFrame(function approach() {
      const mark = scroller.current?.querySelector("[data-mark=strong]")
      if (mark) mark.scrollIntoView({ block: "center", inline: "center" })
      else virtualizer.scrollToIndex(first - 1, { align: "start" })
      if (--left > 0) frame = requestAnimationFrame(approach)
    })
    return () => cancelAnimationFrame(frame)
  }, [ready, marks, passage, virtualizer])

  return (
    <div className="relative flex min-h-0 flex-1 flex-col bg-sidebar">
      {sizes.isPending && (
        <div className="m-auto text-faint">
          <Spinner label={t("pages:loading")} />
        </div>
      )}
      {sizes.isError && (
        <div className="p-4">
          <Note kind="error">{describeError(sizes.error)}</Note>
        </div>
      )}
      <div
        ref={scroller}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it has to scroll by keyboard
        tabIndex={0}
        role="document"
        aria-label={t("pages:label")}
        className="min-h-0 flex-1 overflow-auto"
      >
        <div
          className="relative"
          style={{ height: virtualizer.getTotalSize() + gap, minWidth: pageWidth + 2 * gap }}
        >
          {virtualizer.getVirtualItems().map((item) => (
            <div
              key={item.key}
              className="absolute"
              style={{
                left: gap,
                width: pageWidth,
                height: getHeight(item.index),
                transform: `translateY(${item.start + gap}px)`,
              }}
            >
              <DocumentPage
                path={filePagePath(vectorId, fileId, item.index + 1, pageWidth * window.devicePixelRatio)}
                name={
                  pages.length === 1
                    ? t("pages:picture", { name: fileName })
                    : t("pages:page", { number: item.index + 1 })
                }
                areas={marks.filter(({ page }) => page === item.index + 1)}
              />
            </div>
          ))}
        </div>
      </div>
      {pages.length > 0 && <ZoomButtons zoom={zoom} max={zooms.length - 1} onZoom={setZoom} />}
    </div>
  )
}

/** The element's current width. */
function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const { current } = element
    if (!current) return undefined
    const observer = new ResizeObserver(() => setWidth(current.clientWidth))
    observer.observe(current)
    return () => observer.disconnect()
  }, [element])
  return width
}

interface ZoomButtonsProps {
  zoom: number
  max: number
  onZoom: (zoom: number) => void
}

function ZoomButtons({ zoom, max, onZoom }: ZoomButtonsProps) {
  return (
    <div className="absolute right-3 bottom-3 flex rounded-lg border border-line bg-canvas p-0.5 shadow-float">
      <IconButton label={t("pages:zoomOut")} disabled={zoom === 0} onClick={() => onZoom(zoom - 1)}>
        <ZoomOut aria-hidden />
      </IconButton>
      <IconButton label={t("pages:zoomIn")} disabled={zoom === max} onClick={() => onZoom(zoom + 1)}>
        <ZoomIn aria-hidden />
      </IconButton>
    </div>
  )
}
