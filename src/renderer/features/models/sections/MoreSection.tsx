import { useCatalogue, useDownloads } from "../../../data/models/models.ts"
import { describeError } from "../../../lib/box.ts"
import { Note } from "../../../ui/Note.tsx"
import { AddressGroup } from "../AddressGroup.tsx"
import { CatalogueGroup } from "../CatalogueGroup.tsx"
import { DownloadGroup } from "../DownloadGroup.tsx"
import { MirrorGroup } from "../MirrorGroup.tsx"
import { OwnCatalogueGroup } from "../OwnCatalogueGroup.tsx"

/** Models to download, and current downloads. */
export function MoreSection() {
  return (
    <>
      <Downloads />
      <Catalogue />
      <AddressGroup />
      <MirrorGroup />
      <OwnCatalogueGroup />
    </>
  )
}

function Downloads() {
  const { data: downloads, error } = useDownloads()
  if (error) return <Note kind="error">{describeError(error)}</Note>
  return downloads && downloads.length > 0 ? <DownloadGroup downloads={downloads} /> : null
}

function Catalogue() {
  const { data: catalogue, error } = useCatalogue()
  if (error) return <Note kind="error">{describeError(error)}</Note>
  return catalogue ? <CatalogueGroup {...catalogue} /> : null
}
