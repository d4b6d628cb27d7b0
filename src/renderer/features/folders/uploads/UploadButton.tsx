import { t } from "i18next"
import { File, FolderUp, Globe, Upload } from "lucide-react"
import { Button } from "../../../ui/controls/Button.tsx"
import { Menu, MenuItem } from "../../../ui/layers/Menu.tsx"
import type { FileChooser } from "./use-file-chooser.tsx"

interface UploadButtonProps extends Pick<FileChooser, "openFiles" | "openDirectory"> {
  openWebPage: () => void
}

/** Chooses files, a whole directory or a web page to add to a folder. */
export function UploadButton({ openFiles, openDirectory, openWebPage }: UploadButtonProps) {
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
      <MenuItem onSelect={openWebPage}>
        <Globe aria-hidden /> {t("folders:add.webPage")}
      </MenuItem>
    </Menu>
  )
}
