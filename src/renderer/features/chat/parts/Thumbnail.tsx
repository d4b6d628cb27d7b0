import { useState, type ReactNode } from "react"
import { filePagePath } from "../../../data/folders/file-pages.ts"
import { BoxPicture } from "../../../ui/pictures/BoxPicture.tsx"

interface ThumbnailProps {
  folderId: string
  fileId: string
  /** What is said of it; empty where its name stands beside it. */
  alt: string
  className: string
  /** Shown where the picture can't be, or isn't there any more. */
  fallback: ReactNode
}

/** What the box draws of it is for small pictures. */
const drawnWidth = 600

/** A file of a chat as a small picture. */
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
