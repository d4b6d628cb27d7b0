import { t } from "i18next"
import { useState } from "react"
import type { PageArea } from "../../../shared/contract/page-area.ts"
import { BoxPicture } from "../../ui/pictures/BoxPicture.tsx"

interface DocumentPageProps {
  path: string
  name: string
  /** What is marked. */
  areas: PageArea[]
}

/** A page as a picture. */
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
      {areas.map(({ left, top, width, height }) => (
        <div
          key={`${left} ${top}`}
          data-mark
          className="absolute -m-0.5 box-content rounded-sm bg-paper-mark p-0.5 mix-blend-multiply"
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
