import { t } from "i18next"
import { useEffect } from "react"
import { trimFeeds } from "../data/notifications.ts"
import { useOpenQuestions } from "../data/questions.ts"
import { MutedNote } from "../features/notifications/areas/MutedNote.tsx"
import { Ways } from "../features/notifications/areas/Ways.tsx"
import { NotificationList } from "../features/notifications/NotificationList.tsx"
import { WaitingQuestions } from "../features/notifications/WaitingQuestions.tsx"
import { areas } from "../lib/navigation/areas.ts"
import { EmptyState, PageHeader } from "../ui/PageParts.tsx"
import { WaitingCalls } from "./AppBell.tsx"

/** Items that wait for the user: questions, and calls from all chats and automations. Notifications of background jobs are below. */
export function WorkboxScreen() {
  const { category, icon } = areas.workbox
  const { data: questions = [] } = useOpenQuestions()
  useEffect(() => trimFeeds, [])

  const name = t("areas:workbox.name")
  const nothing = (
    <EmptyState icon={icon} title={t("automations:workbox.none")}>
      {t("automations:workbox.noneText")} {t("posting:text.workbox")}
    </EmptyState>
  )
  return (
    <section aria-label={name} className="flex min-w-0 flex-1 flex-col">
      <PageHeader title={name}>
        <Ways area="workbox" deepLink={undefined} variant="quiet" />
      </PageHeader>
      <MutedNote category={category} />
      <div className="mx-auto flex min-h-0 w-full max-w-3xl flex-1 flex-col">
        <NotificationList
          filter={{ unreadOnly: false, category }}
          Waiting={Waiting}
          empty={questions.length === 0 ? nothing : <></>}
        />
      </div>
    </section>
  )
}

const Waiting = () => (
  <>
    <WaitingQuestions />
    <WaitingCalls />
  </>
)
