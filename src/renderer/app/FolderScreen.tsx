import { FileStatus } from "../../shared/contract/files.ts"
import { FolderPage } from "../features/folders/FolderPage.tsx"
import { factKinds, folderTabs } from "../lib/navigation/routes.ts"

interface FolderScreenProps {
  folderId: string
  /** The open tab. */
  tab: string | undefined
  /** Lists only files with this status. */
  status: string | undefined
  /** The kind of facts that the overview shows first. */
  facts: string | undefined
}

/** The folder that the address names. */
export const FolderScreen = ({ folderId, tab, status, facts }: FolderScreenProps) => (
  <FolderPage
    folderId={folderId}
    tab={folderTabs.find((known) => known === tab) ?? "files"}
    status={FileStatus.options.find((known) => known === status)}
    firstFacts={factKinds.find((known) => known === facts) ?? "deadlines"}
  />
)
