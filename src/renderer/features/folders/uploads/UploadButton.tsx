import { t } from "i18next"
import { File, FolderUp, Upload } from "lucide-react"
import { Button } from "../../../ui/controls/Button.tsx"
import { Menu, MenuItem } from "../../../ui/layers/Menu.tsx"
import type { FileChooser } from "./use-file-chooser.tsx"

/** Chooses files, or a whole directory, to add to a folder. */
export function UploadButton({ openFiles, openDirectory }: Pick<FileChooser, "openFiles" | "openDirectory">) {
  return (
    <Menu
      trigger={
        <Button>
          <Upload aria-hidden /> <span className="@max-md:sr-only">{t("folders:add.button")}</span>
        </Button>
      }
    >
      <MenuItem onSelect={openFiles}>
        <File aria-hidden /> {t("folders:add.files")}
      </MenuItem>
      <MenuItem onSelect={openDirectory}>
        <FolderUp aria-hidden /> {t("folders:add.directory")}
      </MenuItem>
    </Menu>
  )
}
