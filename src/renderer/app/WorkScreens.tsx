import { t } from "i18next"
import { useEffect } from "react"
import { Route, Switch } from "wouter"
import { trimFeeds } from "../data/notifications.ts"
import { useOpenQuestions } from "../data/questions.ts"
import { AutomationPage } from "../features/automations/AutomationPage.tsx"
import { ChangePage, NewPage } from "../features/automations/EditorPage.tsx"
import { WorkPage } from "../features/automations/WorkPage.tsx"
import { FiledPage } from "../features/folders/filing/FileHistory.tsx"
import { NotificationList } from "../features/notifications/NotificationList.tsx"
import { WaitingQuestions } from "../features/notifications/WaitingQuestions.tsx"
import { MutedNote } from "../features/notifications/FeedActions.tsx"
import { PostingWays } from "../features/notifications/PostingWays.tsx"
import { areas } from "../lib/navigation/areas.ts"
import { routes } from "../lib/navigation/routes.ts"
import { workRoutes } from "../lib/navigation/work-routes.ts"
import { EmptyState, PageHeader, NotFound } from "../ui/PageParts.tsx"
import { WaitingCalls } from "./AppBell.tsx"

/** Items that wait for the user: questions, and calls from all chats and automations. Notifications of background jobs are below. */
function WorkboxScreen() {
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
        <PostingWays area="workbox" deepLink={undefined} variant="quiet" />
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

/** Automatic work, and items that wait for the user. */
export function WorkScreens({ search }: { search: URLSearchParams }) {
  return (
    <Switch>
      <Route path={routes.work}>
        <WorkPage isMonthView={search.has("month")} />
      </Route>
      <Route path={routes.workbox}>
        <WorkboxScreen />
      </Route>
      <Route path={workRoutes.new}>
        <NewPage
          key={search.toString()}
          template={search.get("template") ?? undefined}
          folderId={search.get("folder") ?? undefined}
          chatId={search.get("chat") ?? undefined}
        />
      </Route>
      <Route path={workRoutes.filed}>
        <FiledPage />
      </Route>
      <Route path="/work/:id">{({ id }) => <AutomationPage key={id} id={id} />}</Route>
      <Route path="/work/:id/edit">{({ id }) => <ChangePage key={id} id={id} />}</Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}
