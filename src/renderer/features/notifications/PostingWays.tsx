import { t } from "i18next"
import { Link2, Terminal } from "lucide-react"
import { useState } from "react"
import { boxAddress } from "../../lib/box.ts"
import { areas, type AreaId } from "../../lib/navigation/areas.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { ButtonLink, Button, type ButtonVariant } from "../../ui/controls/Button.tsx"
import { Dialog, DialogActions } from "../../ui/layers/Dialog.tsx"
import { CommandLine } from "../../ui/text/CommandLine.tsx"

/** The command that posts a notification, for Linux and macOS shells. */
export function postCommand(
  address: string,
  notification: { title: string; category: string; deepLink: string },
): string {
  return [
    `curl ${address}/api/public/notifications`,
    `-H "x-api-key: $KEY"`,
    `-H "content-type: application/json"`,
    `-d ${quoted(JSON.stringify(notification))}`,
  ].join(" \\\n  ")
}

/** Quotes a text as a single shell word, whatever it contains. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

interface PostDialogProps {
  area: AreaId
  deepLink: string
  onClose: () => void
}

/** Shows the command with which a script posts to an area. */
function PostDialog({ area, deepLink, onClose }: PostDialogProps) {
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

interface WaysProps {
  area: AreaId
  /** The link in posted notifications; the area's route by default. */
  deepLink: string | undefined
  variant: ButtonVariant
}

/** Ways to get notifications into an area of the inbox. */
export function PostingWays({ area, deepLink, variant }: WaysProps) {
  const [posting, setPosting] = useState(false)
  // In a header, the labels make room for the title.
  const label = variant === "quiet" ? "@max-xl:sr-only" : undefined
  return (
    <>
      <ButtonLink href={routes.accounts} variant={variant} title={t("areas:link")}>
        <Link2 aria-hidden /> <span className={label}>{t("areas:link")}</span>
      </ButtonLink>
      <Button variant={variant} title={t("posting:button")} onClick={() => setPosting(true)}>
        <Terminal aria-hidden /> <span className={label}>{t("posting:button")}</span>
      </Button>
      {posting && (
        <PostDialog area={area} deepLink={deepLink ?? areas[area].route} onClose={() => setPosting(false)} />
      )}
    </>
  )
}
