import { FileStatus } from "../../shared/contract/files.ts"
import { FolderPage } from "../features/folders/FolderPage.tsx"
import { factKinds, folderTabs } from "../lib/places/routes.ts"

interface FolderScreenProps {
  folderId: string
  /** The tab that is open. */
  tab: string | undefined
  /** Only files in this state are listed. */
  status: string | undefined
  /** Which facts its overview shows at first. */
  facts: string | undefined
}

/** A folder, as its address says. */
export const FolderScreen = ({ folderId, tab, status, facts }: FolderScreenProps) => (
  <FolderPage
    folderId={folderId}
    tab={folderTabs.find((known) => known === tab) ?? "files"}
    status={FileStatus.options.find((known) => known === status)}
    firstFacts={factKinds.find((known) => known === facts) ?? "deadlines"}
  />
)
