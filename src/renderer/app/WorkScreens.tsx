import { Route, Switch } from "wouter"
import { AutomationPage } from "../features/automations/AutomationPage.tsx"
import { ChangePage, NewPage } from "../features/automations/EditorPage.tsx"
import { WorkPage } from "../features/automations/WorkPage.tsx"
import { FiledPage } from "../features/folders/filing/FiledPage.tsx"
import { routes } from "../lib/navigation/routes.ts"
import { workRoutes } from "../lib/navigation/work-routes.ts"
import { NotFound } from "./NotFound.tsx"
import { WorkboxScreen } from "./WorkboxScreen.tsx"

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
