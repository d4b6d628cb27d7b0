import { t } from "i18next"
import { describeError } from "../../../lib/box.ts"
import { Note } from "../../../ui/Note.tsx"
import { Spinner } from "../../../ui/Spinner.tsx"
import { BackupGroup } from "./BackupGroup.tsx"
import { CopiesGroup } from "./CopiesGroup.tsx"
import { RestoreGroup } from "./RestoreGroup.tsx"
import { useStorage } from "./storage.ts"
import { TrashGroup } from "./TrashGroup.tsx"
import { UsageGroup } from "./UsageGroup.tsx"

/** What is stored on this computer, and how to keep it safe. */
export function StorageSection() {
  const { data: storage, error } = useStorage()
  if (error) return <Note kind="error">{describeError(error)}</Note>
  if (!storage) return <Spinner label={t("settings:storage.counting")} />
  return (
    <>
      <UsageGroup storage={storage} />
      <TrashGroup />
      <BackupGroup />
      <RestoreGroup restore={storage.restore} />
      {storage.copies.length > 0 && <CopiesGroup copies={storage.copies} />}
    </>
  )
}
