import { t } from "i18next"
import { Link2, Terminal } from "lucide-react"
import { useState } from "react"
import { areas, type AreaId } from "../../../lib/places/areas.ts"
import { routes } from "../../../lib/places/routes.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import type { ButtonVariant } from "../../../ui/controls/button-look.ts"
import { ButtonLink } from "../../../ui/controls/ButtonLink.tsx"
import { PostDialog } from "./PostDialog.tsx"

interface WaysProps {
  area: AreaId
  /** What is posted leads there; to the area unless given. */
  deepLink: string | undefined
  variant: ButtonVariant
}

/** How something comes to arrive in a part of the inbox. */
export function Ways({ area, deepLink, variant }: WaysProps) {
  const [posting, setPosting] = useState(false)
  return (
    <>
      <ButtonLink href={routes.accounts} variant={variant}>
        <Link2 aria-hidden /> {t("areas:link")}
      </ButtonLink>
      <Button variant={variant} onClick={() => setPosting(true)}>
        <Terminal aria-hidden /> {t("areas:post.button")}
      </Button>
      {posting && (
        <PostDialog area={area} deepLink={deepLink ?? areas[area].route} onClose={() => setPosting(false)} />
      )}
    </>
  )
}
