import { t } from "i18next"
import { useEffect } from "react"
import { trimFeeds } from "../../../data/notifications.ts"
import { areas, type AreaId } from "../../../lib/places/areas.ts"
import { EmptyState } from "../../../ui/EmptyState.tsx"
import { PageHeader } from "../../../ui/PageHeader.tsx"
import { NotificationList } from "../NotificationList.tsx"
import { MutedNote } from "./MutedNote.tsx"
import { Ways } from "./Ways.tsx"

/** What reports of itself and isn't mail: what has arrived for it, and how something does. */
export function AreaPage({ area }: { area: AreaId }) {
  const { category, icon } = areas[area]
  useEffect(() => trimFeeds, [])

  const name = t(`areas:${area}.name`)
  return (
    <section aria-label={name} className="flex min-w-0 flex-1 flex-col">
      <PageHeader title={name}>
        <Ways area={area} deepLink={undefined} variant="quiet" />
      </PageHeader>
      <MutedNote category={category} />
      <div className="mx-auto flex min-h-0 w-full max-w-3xl flex-1 flex-col">
        <NotificationList
          filter={{ unreadOnly: false, category }}
          empty={
            <EmptyState
              icon={icon}
              title={t("areas:emptyTitle")}
              action={<Ways area={area} deepLink={undefined} variant="secondary" />}
            >
              {t(`areas:${area}.text`)}
            </EmptyState>
          }
        />
      </div>
    </section>
  )
}
