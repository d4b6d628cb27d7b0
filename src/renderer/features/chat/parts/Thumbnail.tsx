import { useState, type ReactNode } from "react"
import { filePagePath } from "../../../data/folders/files.ts"
import { BoxPicture } from "../../../ui/pictures/BoxPicture.tsx"

interface ThumbnailProps {
  folderId: string
  fileId: string
  /** Alternative text; empty if the name is shown next to the image. */
  alt: string
  className: string
  /** Shown if the image can't be loaded or no longer exists. */
  fallback: ReactNode
}

/** Maximum width for images that the box renders. */
const drawnWidth = 600

/** A chat's file as a small image. */
export function Thumbnail({ folderId, fileId, alt, className, fallback }: ThumbnailProps) {
  const [failed, setFailed] = useState(false)
  if (failed) return fallback
  return (
    <BoxPicture
      path={filePagePath(folderId, fileId, 1, drawnWidth)}
      alt={alt}
      onFailed={() => setFailed(true)}
      className={className}
    />
  )
}
