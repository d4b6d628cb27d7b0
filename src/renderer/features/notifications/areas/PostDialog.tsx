import { t } from "i18next"
import { areas, type AreaId } from "../../../lib/navigation/areas.ts"
import { boxAddress } from "../../../lib/box.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { ButtonLink } from "../../../ui/controls/Button.tsx"
import { CommandLine } from "../../../ui/text/CommandLine.tsx"
import { Dialog, DialogActions } from "../../../ui/layers/Dialog.tsx"
import { postCommand } from "./post-command.ts"

interface PostDialogProps {
  area: AreaId
  deepLink: string
  onClose: () => void
}

/** Shows the command with which a script posts to an area. */
export function PostDialog({ area, deepLink, onClose }: PostDialogProps) {
  const command = postCommand(boxAddress(), {
    title: t(`posting:example.${area}`),
    category: areas[area].category,
    deepLink,
  })
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("posting:title", { area: t(`areas:${area}.name`) })}
      description={t("posting:description")}
    >
      <CommandLine command={command} />
      <DialogActions>
        <ButtonLink href={routes.keys}>{t("posting:keys")}</ButtonLink>
      </DialogActions>
    </Dialog>
  )
}
