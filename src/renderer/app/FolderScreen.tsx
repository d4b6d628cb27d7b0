import { FolderPage } from "../features/folders/FolderPage.tsx"
import { factKinds, folderTabs } from "../lib/places/routes.ts"

interface FolderScreenProps {
  folderId: string
  /** The tab that is open at first. */
  tab: string | undefined
  /** Which facts its overview shows at first. */
  facts: string | undefined
}

/** A folder, as its address says. */
export const FolderScreen = ({ folderId, tab, facts }: FolderScreenProps) => (
  <FolderPage
    folderId={folderId}
    firstTab={folderTabs.find((known) => known === tab) ?? "files"}
    firstFacts={factKinds.find((known) => known === facts) ?? "deadlines"}
  />
)
