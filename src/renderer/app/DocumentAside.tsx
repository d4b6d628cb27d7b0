import { useFile } from "../data/folders/files.ts"
import { usePassage } from "../data/folders/file-contents.ts"
import { DocumentPanel } from "../features/passages/DocumentPanel.tsx"
import type { OpenDocument, ShownDocument } from "../lib/navigation/open-document.ts"

interface DocumentAsideProps {
  shown: ShownDocument
  onClose: () => void
}

/** The document next to a screen. If only its address is known, its details are looked up. */
export function DocumentAside({ shown, onClose }: DocumentAsideProps) {
  const { vectorId, fileId, passageId, showsOutline, known } = shown
  const isUnknown = known === undefined
  const { data: file } = useFile(vectorId, isUnknown ? fileId : undefined)
  const passage = usePassage(vectorId, isUnknown ? passageId : undefined)
  const document = known ?? (file && !passage.isLoading ? found(file.name) : undefined)
  if (!document) return null
  return (
    <DocumentPanel key={`${fileId}:${passageId ?? showsOutline}`} document={document} onClose={onClose} />
  )

  function found(fileName: string): OpenDocument {
    const marked = passage.data?.fileId === fileId ? { passage: passage.data } : {}
    return { vectorId, fileId, fileName, ...marked, showsOutline }
  }
}
