import { t } from "i18next"
import { Link2, Terminal } from "lucide-react"
import { useEffect, useState } from "react"
import { trimFeeds } from "../../../data/notifications.ts"
import { useSettings } from "../../../data/settings.ts"
import { areas, type AreaId } from "../../../lib/places/areas.ts"
import { routes } from "../../../lib/places/routes.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import type { ButtonVariant } from "../../../ui/controls/button-look.ts"
import { ButtonLink } from "../../../ui/controls/ButtonLink.tsx"
import { EmptyState } from "../../../ui/EmptyState.tsx"
import { Note } from "../../../ui/Note.tsx"
import { PageHeader } from "../../../ui/PageHeader.tsx"
import { NotificationList } from "../NotificationList.tsx"
import { PostDialog } from "./PostDialog.tsx"

interface AreaPageProps {
  area: AreaId
  /** Only what leads to this channel of the messages. */
  channel: string | undefined
}

/** A part of the inbox: what has arrived for it, and how something does. */
export function AreaPage({ area, channel }: AreaPageProps) {
  const { category, route, icon } = areas[area]
  const [posting, setPosting] = useState(false)
  const { data: settings } = useSettings()
  useEffect(() => trimFeeds, [])

  const name = t(`areas:${area}.name`)
  const leadingTo = channel === undefined ? undefined : routes.channel(channel)
  const ways = (variant: ButtonVariant) => (
    <>
      <ButtonLink href={routes.integrations} variant={variant}>
        <Link2 aria-hidden /> {t("areas:link")}
      </ButtonLink>
      <Button variant={variant} onClick={() => setPosting(true)}>
        <Terminal aria-hidden /> {t("areas:post.button")}
      </Button>
    </>
  )
  return (
    <section aria-label={name} className="flex min-w-0 flex-1 flex-col">
      <PageHeader title={channel === undefined ? name : t("areas:channel", { channel })}>
        {channel !== undefined && (
          <ButtonLink href={route} variant="quiet">
            {t("areas:allChannels")}
          </ButtonLink>
        )}
        {ways("quiet")}
      </PageHeader>
      {settings?.mutedCategories.includes(category) === true && (
        <div className="p-3">
          <Note
            action={
              <ButtonLink href={routes.notificationSettings} variant="quiet">
                {t("areas:mutedAction")}
              </ButtonLink>
            }
          >
            {t("areas:muted")}
          </Note>
        </div>
      )}
      <div className="mx-auto flex min-h-0 w-full max-w-3xl flex-1 flex-col">
        <NotificationList
          key={channel}
          filter={{ unreadOnly: false, category }}
          leadingTo={leadingTo}
          empty={
            <EmptyState
              icon={icon}
              title={t(channel === undefined ? "areas:emptyTitle" : "areas:emptyChannel")}
              action={ways("secondary")}
            >
              {t(`areas:${area}.text`)}
            </EmptyState>
          }
        />
      </div>
      {posting && <PostDialog area={area} deepLink={leadingTo ?? route} onClose={() => setPosting(false)} />}
    </section>
  )
}
