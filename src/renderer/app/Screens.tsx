import { Compass } from "lucide-react"
import { Link, Route, Switch, useSearchParams } from "wouter"
import { ChatScreen } from "./ChatScreen.tsx"
import { FolderScreen } from "./FolderScreen.tsx"
import { NewChat } from "../features/chat/NewChat.tsx"
import { FoldersPage } from "../features/folders/FoldersPage.tsx"
import { SettingsPage, settingsSections } from "../features/settings/SettingsPage.tsx"
import { routes } from "../lib/routes.ts"
import { EmptyState } from "../ui/EmptyState.tsx"

/** Which screen an address shows. */
export function Screens() {
  const [search] = useSearchParams()
  return (
    <Switch>
      <Route path="/">
        <NewChat key={search.get("folder")} folderId={search.get("folder") ?? undefined} />
      </Route>
      <Route path="/inter/chat/:chatId">{({ chatId }) => <ChatScreen key={chatId} chatId={chatId} />}</Route>
      <Route path="/dc">
        <FoldersPage creating={search.has("new")} />
      </Route>
      <Route path="/dc/vector/:vectorId">
        {({ vectorId }) => (
          <FolderScreen key={vectorId} folderId={vectorId} fileId={search.get("file") ?? undefined} />
        )}
      </Route>
      {settingsSections.map((section) => (
        <Route key={section.path} path={section.path}>
          <SettingsPage section={section} />
        </Route>
      ))}
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}

function NotFound() {
  return (
    <EmptyState
      icon={Compass}
      title="There is nothing at this address"
      action={
        <Link href={routes.newChat} className="rounded text-sm font-medium text-accent">
          Start a new chat
        </Link>
      }
    >
      The link may be incomplete, or for a newer version of Casella.
    </EmptyState>
  )
}
