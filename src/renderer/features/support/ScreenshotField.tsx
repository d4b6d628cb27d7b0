import { t } from "i18next"
import { Camera, ImagePlus, SquareDashed, Undo2, X } from "lucide-react"
import { useRef, useState, type KeyboardEvent, type PointerEvent, useEffect } from "react"
import { shellBridge } from "../../lib/browser/shell-bridge.ts"
import { captureWindow } from "../../lib/report-dialog.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { useFileInput } from "../../ui/controls/FileInput.tsx"
import { type Box, type Picture, readPicture, recordScreen } from "./picture.ts"

interface BlackoutProps {
  picture: Picture
  onChange: (boxes: Box[]) => void
}

const smallestBox = 0.01
const keyStep = 0.02

const limited = (value: number, max = 1) => Math.min(max, Math.max(0, value))

interface Point {
  x: number
  y: number
}

const boxBetween = (from: Point, to: Point): Box => ({
  x: Math.min(from.x, to.x),
  y: Math.min(from.y, to.y),
  width: Math.abs(to.x - from.x),
  height: Math.abs(to.y - from.y),
})

/** An image on which the user drags black boxes over private parts. Boxes move and resize with the arrow keys. */
function Blackout({ picture: { dataUrl, boxes }, onChange }: BlackoutProps) {
  const area = useRef<HTMLDivElement>(null)
  const [drawing, setDrawing] = useState<{ from: Point; box: Box }>()

  const getPoint = (event: PointerEvent) => {
    const { left, top, width, height } = area.current?.getBoundingClientRect() ?? new DOMRect(0, 0, 1, 1)
    return { x: limited((event.clientX - left) / width), y: limited((event.clientY - top) / height) }
  }
  const replace = (index: number, box: Box) =>
    onChange(boxes.map((one, boxStyle) => (boxStyle === index ? box : one)))
  const remove = (index: number) => onChange(boxes.filter((_, boxStyle) => boxStyle !== index))

  function onKey(event: KeyboardEvent, index: number, box: Box): void {
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [-keyStep, 0],
      ArrowRight: [keyStep, 0],
      ArrowUp: [0, -keyStep],
      ArrowDown: [0, keyStep],
    }
    const move = moves[event.key]
    if (event.key === "Delete" || event.key === "Backspace") remove(index)
    else if (move && event.shiftKey) {
      replace(index, {
        ...box,
        width: Math.max(keyStep, limited(box.width + move[0], 1 - box.x)),
        height: Math.max(keyStep, limited(box.height + move[1], 1 - box.y)),
      })
    } else if (move) {
      replace(index, {
        ...box,
        x: limited(box.x + move[0], 1 - box.width),
        y: limited(box.y + move[1], 1 - box.height),
      })
    } else return
    event.preventDefault()
  }

  return (
    <div
      ref={area}
      className="relative cursor-crosshair touch-none overflow-hidden rounded-md border border-line select-none"
      onPointerDown={(event) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        const from = getPoint(event)
        setDrawing({ from, box: { ...from, width: 0, height: 0 } })
      }}
      onPointerMove={(event) => {
        if (!drawing) return
        const { from } = drawing
        setDrawing({ from, box: boxBetween(from, getPoint(event)) })
      }}
      onPointerUp={(event) => {
        if (!drawing) return
        // The last movement may not have been rendered yet.
        const box = boxBetween(drawing.from, getPoint(event))
        if (box.width > smallestBox && box.height > smallestBox) onChange([...boxes, box])
        setDrawing(undefined)
      }}
      onPointerCancel={() => setDrawing(undefined)}
    >
      <img src={dataUrl} alt={t("support:report.screenshotAlt")} draggable={false} className="block w-full" />
      {boxes.map((box, index) => (
        <button
          // oxlint-disable-next-line react/no-array-index-key -- boxes differ only in their position
          key={index}
          type="button"
          aria-label={t("support:report.box", { number: index + 1 })}
          onKeyDown={(event) => onKey(event, index, box)}
          className="absolute bg-black"
          style={boxStyle(box)}
        />
      ))}
      {drawing && <span className="absolute bg-black/70" style={boxStyle(drawing.box)} />}
    </div>
  )
}

const boxStyle = ({ x, y, width, height }: Box) => ({
  left: `${x * 100}%`,
  top: `${y * 100}%`,
  width: `${width * 100}%`,
  height: `${height * 100}%`,
})

interface ScreenshotFieldProps {
  picture: Picture | null
  onChange: (picture: Picture | null) => void
}

const canRecord = () => shellBridge() !== undefined || "getDisplayMedia" in (navigator.mediaDevices ?? {})

/** Captures the window without open dialogs. */
async function takeScreenshot(): Promise<Picture | null> {
  if (!shellBridge()) return recordScreen()
  const covering = [...document.body.children].filter((element) => element.id !== "root") as HTMLElement[]
  for (const element of covering) element.style.visibility = "hidden"
  try {
    const shot = await captureWindow()
    return shot === null ? null : await readPicture(shot)
  } finally {
    for (const element of covering) element.style.visibility = ""
  }
}

/** A screenshot that is taken, chosen or pasted, and can be partly blacked out. */
export function ScreenshotField({ picture, onChange }: ScreenshotFieldProps) {
  const [error, setError] = useState<string>()

  const use = async (source: () => Promise<Picture | null>) => {
    try {
      const next = await source()
      if (next) onChange(next)
      setError(undefined)
    } catch {
      setError(t("support:report.notAPicture"))
    }
  }

  const chooser = useFileInput({
    label: t("support:report.chooseScreenshot"),
    accept: "image/*",
    onFiles([file]) {
      if (file) void use(() => readPicture(file))
    },
  })

  useEffect(() => {
    const onPaste = ({ clipboardData }: ClipboardEvent) => {
      const image = [...(clipboardData?.files ?? [])].find(({ type }) => type.startsWith("image/"))
      if (image) void use(() => readPicture(image))
    }
    document.addEventListener("paste", onPaste)
    return () => document.removeEventListener("paste", onPaste)
  })

  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1.5 text-sm font-medium">{t("support:report.screenshot")}</legend>
      {picture && (
        <>
          <Blackout picture={picture} onChange={(boxes) => onChange({ ...picture, boxes })} />
          <p className="text-xs text-faint">{t("support:report.blackoutHint")}</p>
        </>
      )}
      <div className="flex flex-wrap gap-2">
        {picture ? (
          <>
            <Button
              onClick={() =>
                onChange({
                  ...picture,
                  boxes: [...picture.boxes, { x: 0.4, y: 0.45, width: 0.2, height: 0.1 }],
                })
              }
            >
              <SquareDashed aria-hidden /> {t("support:report.addBox")}
            </Button>
            <Button
              disabled={picture.boxes.length === 0}
              onClick={() => onChange({ ...picture, boxes: picture.boxes.slice(0, -1) })}
            >
              <Undo2 aria-hidden /> {t("support:report.removeBox")}
            </Button>
            <Button onClick={() => onChange(null)}>
              <X aria-hidden /> {t("support:report.removeScreenshot")}
            </Button>
          </>
        ) : (
          <>
            {canRecord() && (
              <Button onClick={() => void use(takeScreenshot)}>
                <Camera aria-hidden /> {t("support:report.takeScreenshot")}
              </Button>
            )}
            <Button onClick={chooser.open}>
              <ImagePlus aria-hidden /> {t("support:report.chooseScreenshot")}
            </Button>
          </>
        )}
      </div>
      {!picture && <p className="text-xs text-faint">{t("support:report.pasteHint")}</p>}
      {error !== undefined && (
        <p role="alert" className="text-xs text-danger">
          {error}
        </p>
      )}
      {chooser.input}
    </fieldset>
  )
}
