import { t } from "i18next"
import { FolderImages, type Folder, type ImageCosts } from "../../../shared/contract/folders.ts"
import { useImageCosts } from "../../data/folders/folders.ts"
import { describeError } from "../../lib/box.ts"
import { formatCount, formatRoughTime } from "../../lib/words/format.ts"
import { toPageLanguage } from "../../lib/words/sentence.ts"
import { Note } from "../../ui/Note.tsx"
import { SelectField } from "../../ui/controls/Field.tsx"

interface ImagesFieldProps {
  folder: Folder
  images: FolderImages
  onChange: (images: FolderImages) => void
}

/** Chooses whether images in documents are read and described. Shows the expected cost of descriptions before they are turned on. */
export function ImagesField({ folder, images, onChange }: ImagesFieldProps) {
  const isRead = images !== "none" && folder.withoutImagesCount > 0
  const hints = [
    t(`folders:images.${images}Hint`),
    isRead && t("folders:images.rereads", { count: folder.withoutImagesCount }),
  ]
  return (
    <div>
      <SelectField
        label={t("folders:images.label")}
        value={images}
        onChange={(event) => onChange(FolderImages.parse(event.target.value))}
        hint={hints.filter(Boolean).join(" ")}
      >
        {FolderImages.options.map((choice) => (
          <option key={choice} value={choice}>
            {t(`folders:images.${choice}`)}
          </option>
        ))}
      </SelectField>
      <div aria-live="polite" className="not-empty:mt-2">
        {images === "description" && folder.images !== "description" && <CostsNote folderId={folder.id} />}
      </div>
    </div>
  )
}

function CostsNote({ folderId }: { folderId: string }) {
  const { data: costs, error } = useImageCosts(folderId)
  if (error) return <Note kind="error">{describeError(error)}</Note>
  if (!costs) return <Note>{t("folders:images.costs.counting")}</Note>
  const obstacle = costs.obstacle !== null && toPageLanguage(costs.obstacle, costs.sentence)
  return (
    <Note kind={obstacle ? "warning" : "info"}>
      {obstacle && <p>{t("folders:images.costs.obstacle", { obstacle })}</p>}
      <p>{describeCosts(costs)}</p>
    </Note>
  )
}

function describeCosts({
  images,
  documents,
  examined,
  model,
  seconds,
  isMeasured,
  tokens,
}: ImageCosts): string {
  if (images === 0) return t("folders:images.costs.none")
  const count = t("folders:images.costs.images", { count: images })
  const sentences = [
    model === null || seconds === null || tokens === null
      ? t("folders:images.costs.counted", { images: count })
      : t("folders:images.costs.all", {
          images: count,
          model,
          time: formatRoughTime(seconds),
          tokens: formatCount(tokens),
        }),
    examined < documents &&
      t("folders:images.costs.sampled", {
        examined: formatCount(examined),
        documents: formatCount(documents),
      }),
    model !== null && !isMeasured && t("folders:images.costs.assumed", { model }),
  ]
  return sentences.filter(Boolean).join(" ")
}
