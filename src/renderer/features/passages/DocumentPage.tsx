import { t } from "i18next"
import { useState } from "react"
import { classNames } from "../../ui/class-names.ts"
import { BoxPicture } from "../../ui/pictures/BoxPicture.tsx"
import type { MarkedArea } from "./marked-areas.ts"

interface DocumentPageProps {
  path: string
  name: string
  /** The highlighted areas. */
  areas: Omit<MarkedArea, "page">[]
}

/** A page as an image. */
export function DocumentPage({ path, name, areas }: DocumentPageProps) {
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
