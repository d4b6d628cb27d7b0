import { t } from "i18next"
import { Camera, ImagePlus, SquareDashed, Undo2, X } from "lucide-react"
import { useEffect, useState } from "react"
import { captureWindow } from "../../lib/report-dialog.ts"
import { shellBridge } from "../../lib/browser/shell-bridge.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { useFileInput } from "../../ui/controls/FileInput.tsx"
import { Blackout } from "./Blackout.tsx"
import { readPicture, recordScreen, type Picture } from "./picture.ts"

interface ScreenshotFieldProps {
  picture: Picture | null
  onChange: (picture: Picture | null) => void
}

const canRecord = () => shellBridge() !== undefined || "getDisplayMedia" in (navigator.mediaDevices ?? {})

/** Captures the window without open dialogs. */
async function take(): Promise<Picture | null> {
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
              <Button onClick={() => void use(take)}>
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
