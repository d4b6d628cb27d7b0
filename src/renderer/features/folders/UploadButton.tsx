import { File, FolderUp, Upload } from "lucide-react"
import { useRef } from "react"
import { Button } from "../../ui/Button.tsx"
import { Menu, MenuItem } from "../../ui/Menu.tsx"
import { chosenFiles } from "./read-dropped-files.ts"
import { uploads } from "./uploads.ts"

/** Chooses files, or a whole directory, to add to a folder. */
export function UploadButton({ folderId }: { folderId: string }) {
  const files = useRef<HTMLInputElement>(null)
  const directory = useRef<HTMLInputElement>(null)
  const take = (input: HTMLInputElement) => {
    if (input.files) uploads.add(folderId, chosenFiles(input.files))
    input.value = ""
  }
  return (
    <>
      <Menu
        trigger={
          <Button>
            <Upload aria-hidden /> Add files
          </Button>
        }
      >
        <MenuItem onSelect={() => files.current?.click()}>
          <File aria-hidden /> Files…
        </MenuItem>
        <MenuItem onSelect={() => directory.current?.click()}>
          <FolderUp aria-hidden /> A whole directory…
        </MenuItem>
      </Menu>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        aria-label="Files"
        onChange={(event) => take(event.target)}
      />
      <input
        ref={directory}
        type="file"
        hidden
        aria-label="Directory"
        {...{ webkitdirectory: "" }}
        onChange={(event) => take(event.target)}
      />
    </>
  )
}
