import { useEffect } from "react"
import { useFile } from "../data/files.ts"
import { usePassage } from "../data/passages.ts"
import { FolderPage } from "../features/folders/FolderPage.tsx"
import { useOpenDocument } from "../lib/places/open-document.ts"
import { factKinds, folderTabs } from "../lib/places/routes.ts"

interface FolderScreenProps {
  folderId: string
  /** A document that a link points to. */
  fileId: string | undefined
  /** The passage in it, as citations link to it. */
  passageId: string | undefined
  /** The tab that is open at first. */
  tab: string | undefined
  /** Which facts its overview shows at first. */
  facts: string | undefined
}

/** A folder; a link to one of its documents opens that beside it. */
export function FolderScreen({ folderId, fileId, passageId, tab, facts }: FolderScreenProps) {
  const openDocument = useOpenDocument()
  const { data: file } = useFile(folderId, fileId)
  const passage = usePassage(folderId, passageId)
  useEffect(() => {
    if (!file || passage.isLoading) return
    const found = passage.data?.fileId === file.id ? { passage: passage.data } : {}
    openDocument({ vectorId: folderId, fileId: file.id, fileName: file.name, ...found })
  }, [file, passage.data, passage.isLoading, folderId, openDocument])
  return (
    <FolderPage
      folderId={folderId}
      firstTab={folderTabs.find((known) => known === tab) ?? "files"}
      firstFacts={factKinds.find((known) => known === facts) ?? "deadlines"}
    />
  )
}
