import { useEffect } from "react"
import { useFile } from "../data/files.ts"
import { FolderPage } from "../features/folders/FolderPage.tsx"
import { useOpenDocument } from "../lib/open-document.ts"

interface FolderScreenProps {
  folderId: string
  /** A document that a link points to. */
  fileId: string | undefined
}

/** A folder; a link to one of its documents opens that beside it. */
export function FolderScreen({ folderId, fileId }: FolderScreenProps) {
  const openDocument = useOpenDocument()
  const { data: file } = useFile(folderId, fileId)
  useEffect(() => {
    if (file) openDocument({ vectorId: folderId, fileId: file.id, fileName: file.name })
  }, [file, folderId, openDocument])
  return <FolderPage folderId={folderId} />
}
