import { t } from "i18next"
import { useRef, useState, type KeyboardEvent, type PointerEvent } from "react"
import type { Box, Picture } from "./picture.ts"

interface BlackoutProps {
  picture: Picture
  onChange: (boxes: Box[]) => void
}

const smallest = 0.01
const step = 0.02

const limited = (value: number, most = 1) => Math.min(most, Math.max(0, value))

/** An image on which the user drags black boxes over private parts. Boxes move and resize with the arrow keys. */
export function Blackout({ picture: { dataUrl, boxes }, onChange }: BlackoutProps) {
  const area = useRef<HTMLDivElement>(null)
  const [drawing, setDrawing] = useState<{ from: { x: number; y: number }; box: Box }>()

  const getPoint = (event: PointerEvent) => {
    const { left, top, width, height } = area.current?.getBoundingClientRect() ?? new DOMRect(0, 0, 1, 1)
    return { x: limited((event.clientX - left) / width), y: limited((event.clientY - top) / height) }
  }
  const replace = (index: number, box: Box) =>
    onChange(boxes.map((one, boxStyle) => (boxStyle === index ? box : one)))
  const remove = (index: number) => onChange(boxes.filter((_, boxStyle) => boxStyle !== index))

  function onKey(event: KeyboardEvent, index: number, box: Box): void {
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [-step, 0],
      ArrowRight: [step, 0],
      ArrowUp: [0, -step],
      ArrowDown: [0, step],
    }
    const move = moves[event.key]
    if (event.key === "Delete" || event.key === "Backspace") remove(index)
    else if (move && event.shiftKey) {
      replace(index, {
        ...box,
        width: Math.max(step, limited(box.width + move[0], 1 - box.x)),
        height: Math.max(step, limited(box.height + move[1], 1 - box.y)),
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
        const to = getPoint(event)
        const box = {
          x: Math.min(from.x, to.x),
          y: Math.min(from.y, to.y),
          width: Math.abs(to.x - from.x),
          height: Math.abs(to.y - from.y),
        }
        setDrawing({ from, box })
      }}
      onPointerUp={() => {
        if (drawing && drawing.box.width > smallest && drawing.box.height > smallest)
          onChange([...boxes, drawing.box])
        setDrawing(undefined)
      }}
      onPointerCancel={() => setDrawing(undefined)}
    >
      <img src={dataUrl} alt={t("support:report.screenshotAlt")} draggable={false} className="block w-full" />
      {boxes.map((box, index) => (
        <button
          // oxlint-disable-next-line react/no-array-index-key -- boxes are told apart by their place only
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
